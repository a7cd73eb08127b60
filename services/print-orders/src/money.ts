/** Above any order: sums of amounts stay exact integers that a database `integer` holds. */
const CENTS_MAX = 10_000_000

const AMOUNT = /^(\d{1,7})(?:\.(\d{1,2}))?$/

/**
 * An amount in dollars as integer cents; null unless it is a whole number of cents from 0 to 100,000 dollars.
 * Text is parsed without floating point. A JSON number may differ from whole cents by the error of a sum.
 */
export function parseCents(amount: unknown): number | null {
  if (typeof amount === 'number') return fromNumber(amount)
  if (typeof amount !== 'string') return null
  const [, dollars, fraction = ''] = AMOUNT.exec(amount.trim()) ?? []
  if (dollars === undefined) return null
  return withinRange(Number(dollars) * 100 + Number(fraction.padEnd(2, '0')))
}

function fromNumber(amount: number): number | null {
  const cents = Math.round(amount * 100)
  return Math.abs(amount * 100 - cents) < 1e-6 ? withinRange(cents) : null
}

function withinRange(cents: number): number | null {
  return cents >= 0 && cents <= CENTS_MAX ? cents + 0 : null
}

/** Integer cents as dollars with two decimals, for example `12.50`. */
export function formatCents(cents: number): string {
  const sign = cents < 0 ? '-' : ''
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
