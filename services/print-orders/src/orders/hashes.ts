import { createHash } from 'node:crypto'
import type { Customer } from '../customers/customer.ts'
import { imageIdOf } from './image-urls.ts'
import type { Crop, OrderRequest, RequestedImage } from './submit-request.ts'

/** The same for the same body, whatever the order of its fields. */
export function hashRequest(body: unknown): string {
  return sha256(canonical(body))
}

/** The same for orders of the same prints for the same customer at the same store. */
export function hashOrder({ storeNumber, customer, lines }: OrderRequest): string {
  const quantities = new Map<string, number>()
  for (const { productId, quantity, image } of lines) {
    const print = canonical([productId, identityOf(image)])
    quantities.set(print, (quantities.get(print) ?? 0) + quantity)
  }
  const prints = [...quantities].sort(([a], [b]) => (a < b ? -1 : 1))
  return sha256(canonical([storeNumber, sameCustomer(customer), prints]))
}

/** Spellings of the same customer are equal: case, invisible characters, the country code of a US number. */
function sameCustomer({ firstName, lastName, email, phone }: Customer): string[] {
  const names = [firstName, lastName, email].map((text) =>
    text
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .toLowerCase(),
  )
  return [...names, phone.replace(/^1(?=\d{10}$)/, '')]
}

/** What makes two images the same: an expiry that was extended does not count. */
export function identityOf(image: RequestedImage): unknown {
  return 'filename' in image ? imageIdOf(image.filename) : [image.photoId, image.crop && cropIdentity(image.crop)]
}

/** Crops that differ by less than a millionth are one image for media; a crop of everything is none. */
function cropIdentity({ x, y, width, height }: Crop): number[] | null {
  const rounded = [x, y, width, height].map((value) => Math.round(value * 1e6) / 1e6)
  return rounded.join() === '0,0,1,1' ? null : rounded
}

/** JSON with the fields of each object in alphabetical order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
