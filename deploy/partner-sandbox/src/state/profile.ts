import { createHash, timingSafeEqual } from 'node:crypto'

const CHOICES = {
  errorStyle: ['http-200', 'http-4xx', 'html-5xx'],
  overLimit: ['http-429', 'error-code', 'html-503'],
  vendorOrderIds: ['digits', 'prefixed', 'uuid', 'number'],
  idsOverLimit: ['error', 'ignore'],
} as const
type Choice<Name extends keyof typeof CHOICES> = (typeof CHOICES)[Name][number]

const DEFAULTS = {
  apiKey: '',
  errorStyle: 'http-200' as Choice<'errorStyle'>,
  extraFields: true,
  numberFields: false,
  requestsPerMinute: 300,
  couponsPerMinute: 100,
  overLimit: 'http-429' as Choice<'overLimit'>,
  vendorOrderIds: 'digits' as Choice<'vendorOrderIds'>,
  promiseTimeMinutes: 30,
  idsPerStatusCall: 100,
  idsOverLimit: 'error' as Choice<'idsOverLimit'>,
  sasMinutes: 60,
  cancelledText: 'Cancelled',
  downloads: true,
}

/** How the partner treats one affiliate. What is not publicly known of the partner is a setting here. */
export type Profile = typeof DEFAULTS

const MAX_NUMBER = 1_000_000
const MAX_TEXT = 200

export function initialProfile(apiKey: string): Profile {
  return { ...DEFAULTS, apiKey }
}

/** @throws Error with a sentence */
export function changedProfile(profile: Profile, changes: Record<string, unknown>): Profile {
  for (const [name, value] of Object.entries(changes)) checkField(name, value)
  return { ...profile, ...changes }
}

export function isSameKey(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a as Buffer, b as Buffer)
}

function checkField(name: string, value: unknown): void {
  if (!Object.hasOwn(DEFAULTS, name)) throw new Error(`A profile has no field "${name}".`)
  const initial = DEFAULTS[name as keyof Profile]
  const choices: readonly string[] | undefined = CHOICES[name as keyof typeof CHOICES]
  if (choices) {
    if (!choices.includes(String(value))) throw new Error(`${name} must be one of ${choices.join(', ')}.`)
  } else if (typeof value !== typeof initial) {
    throw new Error(`${name} must be a ${typeof initial}.`)
  } else if (typeof value === 'number' && !(Number.isInteger(value) && value >= 0 && value <= MAX_NUMBER)) {
    throw new Error(`${name} must be a whole number up to ${MAX_NUMBER}.`)
  } else if (typeof value === 'string' && (value === '' || value.length > MAX_TEXT)) {
    throw new Error(`${name} must be a text of 1 to ${MAX_TEXT} characters.`)
  }
}
