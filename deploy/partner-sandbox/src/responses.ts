import { STATUS_CODES } from 'node:http'
import { type Fields, isFields } from './calls/request-fields.ts'
import type { BusinessError } from './state/errors.ts'
import type { Route, TakenFaults } from './state/faults.ts'
import type { Profile } from './state/profile.ts'
import { between, pick, type Random } from './state/random.ts'

export interface PartnerResponse {
  status: number
  type: 'application/json' | 'application/xml' | 'text/html'
  body: string
  headers?: Record<string, string>
  /** Of a business error. */
  code?: string
}

export function htmlResponse(status: number, headers: Record<string, string> = {}): PartnerResponse {
  const title = `${status} ${STATUS_CODES[status]}`
  const body = `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`
  return { status, type: 'text/html', body, headers }
}

export function jsonResponse(fields: Fields, status = 200): PartnerResponse {
  return { status, type: 'application/json', body: JSON.stringify(fields) }
}

/** The error as this affiliate gets it; store search names the code differently. */
export function errorResponse(
  error: BusinessError,
  route: Route,
  { errorStyle, numberFields }: Profile,
): PartnerResponse {
  if (errorStyle === 'html-5xx') return { ...htmlResponse(500), code: error.code }
  const name = route === 'stores' ? 'errCode' : 'err'
  const fields = { status: 'failure', [name]: error.code, errDesc: error.description }
  const body = numberFields ? (numbersFor(fields) as Fields) : fields
  return { ...jsonResponse(body, errorStyle === 'http-4xx' ? error.httpStatus : 200), code: error.code }
}

/** Fields that a client can do without. */
const DISPENSABLE = [
  ...['errDesc', 'template', 'landingUrl', 'productDesc', 'currencyType', 'resWidth', 'resHeight', 'dpi', 'boxQty'],
  ...['multiImageIndicator', 'vendorQtyLimit', 'templateUrl', 'street', 'zip', 'phone', 'distance', 'distanceUnit'],
  ...['openTime', 'closeTime', 'timeZone', 'type', 'tax', 'orderTotalPrice', 'code'],
]

/** What the profile and faults make of a successful response. */
export function distort(fields: Fields, profile: Profile, faults: TakenFaults, random: Random): Fields {
  const nulls = faults.get('null-fields')
  let distorted: unknown = fields
  if (nulls) distorted = nullsFor(distorted, nulls.fields ?? DISPENSABLE)
  if (faults.get('number-fields') || profile.numberFields) distorted = numbersFor(distorted)
  if (faults.get('extra-fields') || profile.extraFields) distorted = withExtras(distorted, random)
  return distorted as Fields
}

function mapFields(value: unknown, change: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => mapFields(entry, change))
  if (!isFields(value)) return value
  const changed = Object.entries(value).map(([name, entry]) => [name, change(name, mapFields(entry, change))])
  return Object.fromEntries(changed)
}

function nullsFor(value: unknown, names: string[]): unknown {
  return mapFields(value, (name, entry) => (names.includes(name) ? null : entry))
}

/** Texts that are numbers become numbers, unless that would lose digits. */
function numbersFor(value: unknown): unknown {
  return mapFields(value, (_name, entry) =>
    typeof entry === 'string' && /^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/.test(entry) ? Number(entry) : entry,
  )
}

const EXTRA_NAMES = ['traceId', 'cacheHit', 'svcVersion', 'messages', 'promo', 'rank']

/** Adds a field that no document mentions to the response and to some of its objects. */
function withExtras(value: unknown, random: Random): unknown {
  const values = [null, true, '', `x${between(random, 1000, 9999)}`, between(random, 1, 99), [], { a: 1 }]
  const add = (fields: Fields) => ({ ...fields, [`${pick(random, EXTRA_NAMES)}`]: pick(random, values) })
  const inner = mapFields(value, (_name, entry) => {
    if (!Array.isArray(entry)) return entry
    return entry.map((item) => (isFields(item) && random() < 0.3 ? add(item) : item))
  })
  return isFields(inner) ? add(inner) : inner
}
