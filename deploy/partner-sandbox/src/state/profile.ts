import { createHash, timingSafeEqual } from 'node:crypto'
import { knownError } from './business-error.ts'

/** How the partner treats one affiliate. What the reference marks as unknown is a setting here. */
export interface Profile {
  apiKey: string
  activated: boolean
  errorStyle: 'http-200' | 'http-4xx' | 'html-5xx'
  extraFields: boolean
  nullFields: boolean
  numberFields: boolean
  requestsPerMinute: number
  couponsPerMinute: number
  overLimit: 'http-429' | 'error-code' | 'html-503'
  vendorOrderIds: 'digits' | 'prefixed' | 'uuid' | 'number'
  promiseTimeMinutes: number
  idsPerStatusCall: number
  idsOverLimit: 'error' | 'ignore'
  sasMinutes: number
  cancelledText: string
  maximumImages: number
  printsPerImage: number
  printsCountedPer: 'entry' | 'url'
  maximumTotal: number
  downloads: boolean
  downloadAttempts: number
  downloadRetryMinutes: number
  pickupHours: number
  neverCollectedPercent: number
  printerDownPercent: number
}

type FieldRule =
  | { kind: 'boolean' }
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'number'; low: number; high: number }
  | { kind: 'text' }

const choice = (...choices: string[]): FieldRule => ({ kind: 'choice', choices })
const whole = (low: number, high: number): FieldRule => ({ kind: 'number', low, high })

export const PROFILE_RULES: { [K in keyof Profile]: FieldRule & { initial: Profile[K] } } = {
  apiKey: { kind: 'text', initial: '' },
  activated: { kind: 'boolean', initial: true },
  errorStyle: { ...choice('http-200', 'http-4xx', 'html-5xx'), initial: 'http-200' },
  extraFields: { kind: 'boolean', initial: true },
  nullFields: { kind: 'boolean', initial: false },
  numberFields: { kind: 'boolean', initial: false },
  requestsPerMinute: { ...whole(1, 1_000_000), initial: 300 },
  couponsPerMinute: { ...whole(1, 1_000_000), initial: 100 },
  overLimit: { ...choice('http-429', 'error-code', 'html-503'), initial: 'http-429' },
  vendorOrderIds: { ...choice('digits', 'prefixed', 'uuid', 'number'), initial: 'digits' },
  promiseTimeMinutes: { ...whole(1, 10_080), initial: 30 },
  idsPerStatusCall: { ...whole(1, 10_000), initial: 100 },
  idsOverLimit: { ...choice('error', 'ignore'), initial: 'error' },
  sasMinutes: { ...whole(0, 525_600), initial: 60 },
  cancelledText: { kind: 'text', initial: 'Cancelled' },
  maximumImages: { ...whole(1, 100_000), initial: 200 },
  printsPerImage: { ...whole(1, 100_000), initial: 20 },
  printsCountedPer: { ...choice('entry', 'url'), initial: 'entry' },
  maximumTotal: { ...whole(1, 1_000_000), initial: 998 },
  downloads: { kind: 'boolean', initial: true },
  downloadAttempts: { ...whole(1, 20), initial: 3 },
  downloadRetryMinutes: { ...whole(1, 1440), initial: 10 },
  pickupHours: { ...whole(0, 8760), initial: 24 },
  neverCollectedPercent: { ...whole(0, 100), initial: 0 },
  printerDownPercent: { ...whole(0, 100), initial: 0 },
}

/** The affiliates that the partner knows. */
export class Profiles {
  readonly #initial: { affId: string; apiKey: string }
  readonly #profiles = new Map<string, Profile>()

  constructor(initial: { affId: string; apiKey: string }) {
    this.#initial = initial
    this.reset()
  }

  reset(): void {
    this.#profiles.clear()
    this.#profiles.set(this.#initial.affId, initialProfile(this.#initial.apiKey))
  }

  /** Of the affiliate in the settings, for requests without a known one. */
  get main(): Profile {
    return this.#profiles.get(this.#initial.affId) ?? initialProfile(this.#initial.apiKey)
  }

  entries(): [string, Profile][] {
    return [...this.#profiles]
  }

  get(affId: string): Profile | undefined {
    return this.#profiles.get(affId)
  }

  /** Creates the affiliate when there is none; that needs an `apiKey`. @throws Error with a sentence */
  change(affId: string, changes: Record<string, unknown>): Profile {
    const current = this.#profiles.get(affId)
    if (!current && this.#profiles.size >= MAX_AFFILIATES) throw new Error('There are too many affiliates.')
    const changed = { ...(current ?? initialProfile('')), ...checkChanges(changes) }
    if (!changed.apiKey) throw new Error('apiKey must not be empty.')
    this.#profiles.set(affId, changed)
    return changed
  }

  /** @throws BusinessError as the partner rejects credentials */
  authenticate(affId: string, apiKey: string): Profile {
    const known = this.entries().filter(([, profile]) => sameText(profile.apiKey, apiKey))
    if (known.length === 0) throw knownError('2003')
    const own = known.find(([id]) => id === affId)
    if (!own) throw knownError('659')
    if (!own[1].activated) throw knownError('112')
    return own[1]
  }
}

const MAX_AFFILIATES = 50

function initialProfile(apiKey: string): Profile {
  const values = Object.entries(PROFILE_RULES).map(([name, { initial }]) => [name, initial])
  return { ...(Object.fromEntries(values) as Profile), apiKey }
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a as Buffer, b as Buffer)
}

function checkChanges(changes: Record<string, unknown>): Partial<Profile> {
  const checked = Object.entries(changes).map(([name, value]) => {
    if (!Object.hasOwn(PROFILE_RULES, name)) throw new Error(`A profile has no field "${name}".`)
    return [name, checkValue(name, PROFILE_RULES[name as keyof Profile], value)]
  })
  return Object.fromEntries(checked)
}

function checkValue(name: string, rule: FieldRule, value: unknown): unknown {
  if (rule.kind === 'boolean') {
    if (typeof value === 'boolean') return value
    throw new Error(`${name} must be true or false.`)
  }
  if (rule.kind === 'number') {
    if (Number.isInteger(value) && Number(value) >= rule.low && Number(value) <= rule.high) return value
    throw new Error(`${name} must be a whole number from ${rule.low} to ${rule.high}.`)
  }
  if (rule.kind === 'choice') {
    if (rule.choices.includes(String(value))) return value
    throw new Error(`${name} must be one of ${rule.choices.join(', ')}.`)
  }
  if (typeof value === 'string' && value.length > 0 && value.length <= 200) return value
  throw new Error(`${name} must be a text of 1 to 200 characters.`)
}
