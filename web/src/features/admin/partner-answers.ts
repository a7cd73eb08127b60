import { geocode } from '../../api/geocode.ts'
import { type Coordinates, parseCoordinates } from '../../lib/coordinates.ts'
import { countOf } from '../../lib/format.ts'
import { formatDollars } from '../../lib/order-formats.ts'

/** The partner may answer anything: fields are read one by one. */
function fieldOf(answer: unknown, name: string): unknown {
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>)[name] : undefined
}

function textOf(answer: unknown, name: string): string {
  const value = fieldOf(answer, name)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

export interface Summary {
  text: string
  /** The partner answered what was hoped for. */
  good: boolean
}

const good = (text: string): Summary => ({ text, good: true })
const bad = (text: string): Summary => ({ text, good: false })

/** 'Credentials accepted, up to 200 images in an order'. */
export function summariseCredentials(answer: unknown): Summary {
  if (fieldOf(answer, 'accepted') !== true) return bad(textOf(answer, 'message') || 'Credentials not accepted')
  const limit = fieldOf(answer, 'uploadLimit')
  return good(
    typeof limit === 'number' ? `Credentials accepted, up to ${limit} images in an order` : 'Credentials accepted',
  )
}

/** '6 products' for the list of that name. */
export function summariseList(answer: unknown, name: string, noun: string): Summary {
  const value = fieldOf(answer, name)
  if (!Array.isArray(value)) return bad(`The answer has no list of ${noun}s`)
  return value.length > 0 ? good(countOf(value.length, noun)) : bad(`No ${noun}s`)
}

/** 'Order #123 placed in sandbox'. */
export function summariseTestOrder(answer: unknown): Summary {
  const number = textOf(answer, 'vendorOrderId')
  if (number) return good(`Order #${number} placed in sandbox`)
  return bad(textOf(answer, 'message') || 'No order number in the answer')
}

/** 'Coupon accepted: $2.50 off', or what the partner says against it. */
export function summariseCoupon(answer: unknown): Summary {
  const error = textOf(answer, 'err')
  if (error) return bad([`Coupon not accepted (${error})`, textOf(answer, 'errDesc')].filter(Boolean).join(': '))
  const discount = formatDollars(textOf(answer, 'orderDiscountPrice'))
  return good(discount ? `Coupon accepted: ${discount} off` : 'Coupon accepted')
}

/** The position of coordinates, a ZIP code, a city or a state. */
export async function findPosition(place: string): Promise<Coordinates> {
  const coordinates = parseCoordinates(place)
  if (coordinates) return coordinates
  const { latitude, longitude } = await geocode(place)
  return { latitude, longitude }
}
