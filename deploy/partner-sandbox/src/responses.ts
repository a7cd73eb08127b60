import { STATUS_CODES } from 'node:http'
import { type Fields, isFields } from './calls/request-fields.ts'
import type { BusinessError } from './state/errors.ts'
import type { Route, TakenFaults } from './state/faults.ts'
import type { Profile } from './state/profile.ts'

export interface PartnerResponse {
  status: number
  type: 'application/json' | 'text/html'
  body: string
  headers?: Record<string, string>
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
  if (errorStyle === 'html-5xx') return htmlResponse(500)
  const name = route === 'stores' ? 'errCode' : 'err'
  const fields = { status: 'failure', [name]: error.code, errDesc: error.description }
  const body = numberFields ? (numbersFor(fields) as Fields) : fields
  return jsonResponse(body, errorStyle === 'http-4xx' ? 400 : 200)
}

/** Fields that a client can do without. */
const DISPENSABLE = [
  ...['errDesc', 'template', 'landingUrl', 'productDesc', 'currencyType', 'resWidth', 'resHeight', 'dpi', 'boxQty'],
  ...['multiImageIndicator', 'vendorQtyLimit', 'templateUrl', 'street', 'zip', 'phone', 'distance', 'distanceUnit'],
  ...['openTime', 'closeTime', 'timeZone', 'type', 'tax', 'orderTotalPrice', 'code'],
]

/** What the profile and faults make of a successful response. */
export function distort(fields: Fields, profile: Profile, faults: TakenFaults): Fields {
  const nulls = faults.get('null-fields')
  let distorted: unknown = fields
  if (nulls) distorted = nullsFor(distorted, nulls.fields ?? DISPENSABLE)
  if (faults.get('number-fields') || profile.numberFields) distorted = numbersFor(distorted)
  return withExtras(distorted, faults.get('extra-fields') ? 1 : 0.3) as Fields
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

/** Adds a field that no document mentions to this share of the response's objects, whose values vary. */
function withExtras(value: unknown, share: number): unknown {
  const extra = [null, true, '', Date.now(), [], { a: 1 }][Date.now() % 6]
  const add = (item: unknown) => (isFields(item) && Math.random() < share ? { ...item, svcTrace: extra } : item)
  return add(mapFields(value, (_name, entry) => (Array.isArray(entry) ? entry.map(add) : entry)))
}
