const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** '$1,234.50' for an amount in dollars, as a number or a decimal text; null without one. */
export function formatDollars(amount: number | string | null | undefined): string | null {
  if (amount === null || amount === undefined || amount === '') return null
  const value = Number(amount)
  return Number.isFinite(value) ? DOLLARS.format(value) : null
}

/** '0.39' → 39 cents; null for text that is no amount. Computing with floating point would lose cents. */
export function toCents(amount: string | number | null | undefined): number | null {
  const match = /^\s*\$?\s*(\d{1,9})(?:\.(\d+))?\s*$/.exec(String(amount ?? ''))
  if (!match) return null
  const [, whole = '0', fraction = ''] = match
  const cents = Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'))
  return Number(fraction[2] ?? 0) >= 5 ? cents + 1 : cents
}

/** 1617 → '16.17', as amounts are sent. */
export function centsToText(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}

/** 161700 → '$1,617.00'. */
export function formatCents(cents: number): string {
  return DOLLARS.format(cents / 100)
}
