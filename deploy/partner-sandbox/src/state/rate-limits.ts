import type { Route } from './faults.ts'
import type { Profile } from './profile.ts'
import { SlidingCount } from './request-log.ts'

/** The partner's limits for each affiliate, in real time: turning the clock does not change them. */
export class RateLimits {
  readonly #counts = new Map<string, SlidingCount>()

  /** Counts the request unless it is over a limit. @returns whether it may pass */
  admit(affId: string, route: Route, profile: Profile): boolean {
    if (route === 'upload') return true
    const all = this.#count(affId)
    const coupons = route === 'coupon' ? this.#count(`${affId} coupon`) : undefined
    if (all.total >= profile.requestsPerMinute) return false
    if (coupons && coupons.total >= profile.couponsPerMinute) return false
    all.add()
    coupons?.add()
    return true
  }

  clear(): void {
    this.#counts.clear()
  }

  #count(name: string): SlidingCount {
    const count = this.#counts.get(name) ?? new SlidingCount()
    this.#counts.set(name, count)
    return count
  }
}
