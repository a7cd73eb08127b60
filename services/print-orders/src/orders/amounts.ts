/** Amounts of an order in integer cents. */
export interface Amounts {
  subtotalCents: number
  discountCents: number
  totalCents: number
}

/** The partner takes orders under this amount, after the coupon. */
export const TOTAL_LIMIT_CENTS = 99_800
export const QUANTITY_MAX = 999
/** Prints in one entry of `imageDetails`. */
export const PRINTS_PER_ENTRY = 20
/** Entries of `imageDetails` in an order. */
export const ENTRIES_MAX = 200
export const TOO_MANY = `An order can have at most ${ENTRIES_MAX} images; more than 20 prints of an image count as several. Please split it into smaller orders.`

/** The amounts of an order: the discount is at most the subtotal, so that the total is never below 0. */
export function amountsOf(lines: { priceCents: number; quantity: number }[], discountCents: number): Amounts {
  const subtotalCents = lines.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0)
  const discount = Math.min(discountCents, subtotalCents)
  return { subtotalCents, discountCents: discount, totalCents: subtotalCents - discount }
}

/** Splits a quantity into entries of as many prints as the partner takes at once. */
export function splitQuantity(quantity: number): number[] {
  const full = Array.from({ length: Math.floor(quantity / PRINTS_PER_ENTRY) }, () => PRINTS_PER_ENTRY)
  const rest = quantity % PRINTS_PER_ENTRY
  return rest > 0 ? [...full, rest] : full
}

/** Entries of `imageDetails` that these quantities need. */
export function countEntries(quantities: number[]): number {
  return quantities.reduce((sum, quantity) => sum + Math.ceil(quantity / PRINTS_PER_ENTRY), 0)
}
