import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Environment } from './types.ts'

export interface RateLimitOptions {
  /** A name of the account in each environment, to which the limits apply. */
  accounts: Record<Environment, string>
  /** Calls a minute of all processes together. */
  requestsPerMinute: number
  couponsPerMinute: number
  /** Processes that call the partner, which share what is kept for outages of Redis. */
  processes: number
  /** Length of the windows; of a minute and a little unless given. */
  windowMs?: number
}

export interface RateLimitedCall {
  environment: Environment
  isCoupon: boolean
  isBackground: boolean
}

export interface RateLimits {
  /**
   * Waits for a permit. Returns 0 with one, or without one the milliseconds until the next when that is after `deadline`, on the
   * clock of `performance.now()`.
   */
  acquire(call: RateLimitedCall, deadline: number): Promise<number>
  /** The partner's own limit was exceeded: no permits for some time, in this process at once and in others by Redis. */
  pause(call: RateLimitedCall, ms: number): void
}

/** A minute, and some time by which requests may reach the partner later than others. */
const WINDOW_MS = 62_000
const PAUSE_MAX_MS = 60_000
/** After a failure of Redis the next calls do not wait for it. */
const OUTAGE_MS = 2_000

/** The part of the limits that is counted in Redis. The rest is for outages, so that both together stay within the limits. */
const SHARED_PART = 0.8
const OUTAGE_PART = 0.2
/** The part of the calls that the status poller may use; the rest is kept for people who wait. */
const BACKGROUND_PART = 0.5

/**
 * Takes a permit from sliding windows. KEYS: the windows, then the pause of each. ARGV: length of the windows, name of the
 * permit, limit of each window. Returns 0, or the milliseconds to wait.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local length, count, wait = tonumber(ARGV[1]), #KEYS / 2, 0
for i = 1, count do
  local limit = tonumber(ARGV[2 + i])
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - length)
  local used = redis.call('ZCARD', KEYS[i])
  if used >= limit then
    local oldest = redis.call('ZRANGE', KEYS[i], used - limit, used - limit, 'WITHSCORES')
    wait = math.max(wait, oldest[2] + length - now + 1)
  end
  wait = math.max(wait, redis.call('PTTL', KEYS[count + i]))
end
if wait > 0 then return wait end
for i = 1, count do
  redis.call('ZADD', KEYS[i], now, ARGV[2])
  redis.call('PEXPIRE', KEYS[i], length)
end
return 0
`

interface Window {
  key: string
  pauseKey: string
  limit: number
}

/** The time in which background calls get one permit, when they are spread evenly. */
export function backgroundIntervalMs(requestsPerMinute: number): number {
  return WINDOW_MS / backgroundLimit(requestsPerMinute, SHARED_PART)
}

function backgroundLimit(requestsPerMinute: number, part: number): number {
  return Math.max(1, Math.floor(requestsPerMinute * part * BACKGROUND_PART))
}

/** The windows that a call counts in. */
function windowsOf(call: RateLimitedCall, options: RateLimitOptions, part: number): Window[] {
  const window = (name: string, limit: number, paused = name): Window => ({
    key: `partner-rate:{${options.accounts[call.environment]}}:${name}`,
    pauseKey: `partner-rate:{${options.accounts[call.environment]}}:${paused}:pause`,
    limit: Math.max(1, Math.floor(limit)),
  })
  const windows = [window('all', options.requestsPerMinute * part)]
  if (call.isCoupon) windows.push(window('coupon', options.couponsPerMinute * part))
  if (call.isBackground) windows.push(window('background', backgroundLimit(options.requestsPerMinute, part), 'all'))
  return windows
}

/** The partner's limits for all processes: in any minute, never more requests than that. */
export function createRateLimits(redis: Redis, options: RateLimitOptions, logger: Logger): RateLimits {
  const { windowMs = WINDOW_MS } = options
  const local = createLocalWindows(windowMs)
  let outageUntil = 0

  async function take(call: RateLimitedCall): Promise<number> {
    const windows = windowsOf(call, options, SHARED_PART)
    const keys = [...windows.map(({ key }) => key), ...windows.map(({ pauseKey }) => pauseKey)]
    const limits = windows.map(({ limit }) => limit)
    const ownShare = () => local.take(windowsOf(call, options, OUTAGE_PART / options.processes))
    if (performance.now() < outageUntil) return ownShare()
    try {
      return Number(await redis.eval(TAKE, keys.length, ...keys, windowMs, randomUUID(), ...limits))
    } catch (error) {
      logger.warn({ err: error }, 'Redis unavailable, own share of the partner rate limit in use')
      outageUntil = performance.now() + OUTAGE_MS
      return ownShare()
    }
  }

  return {
    async acquire(call, deadline) {
      for (;;) {
        const wait = await take(call)
        if (wait === 0) return 0
        if (performance.now() + wait >= deadline) return wait
        await delay(wait + Math.random() * 50)
      }
    },
    pause(call, ms) {
      const windows = windowsOf(call, options, SHARED_PART)
      // A coupon's limit says nothing about other calls.
      const window = (call.isCoupon ? windows[1] : windows[0]) as Window
      const pauseMs = Math.round(Math.min(Math.max(ms, 1), PAUSE_MAX_MS))
      local.pause(window.pauseKey, pauseMs)
      // Nobody waits for Redis.
      redis.set(window.pauseKey, '1', 'PX', pauseMs).catch(() => {})
    },
  }
}

/** The same windows in the memory of this process. */
function createLocalWindows(windowMs: number) {
  const taken = new Map<string, number[]>()
  const pausedUntil = new Map<string, number>()

  function waitFor({ key, pauseKey, limit }: Window, now: number): number {
    const recent = (taken.get(key) ?? []).filter((at) => at > now - windowMs)
    taken.set(key, recent)
    const oldest = recent[recent.length - limit]
    const full = oldest === undefined ? 0 : oldest + windowMs - now
    return Math.max(0, full, (pausedUntil.get(pauseKey) ?? 0) - now)
  }

  return {
    take(windows: Window[]): number {
      const now = performance.now()
      const wait = Math.max(...windows.map((window) => waitFor(window, now)))
      if (wait === 0) for (const { key } of windows) taken.get(key)?.push(now)
      return wait
    },
    pause(pauseKey: string, ms: number): void {
      pausedUntil.set(pauseKey, performance.now() + ms)
    },
  }
}
