const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** '$1,234.50' for an amount in dollars, as a number or a decimal text; null without one. */
export function formatDollars(amount: number | string | null | undefined): string | null {
  if (amount === null || amount === undefined || amount === '') return null
  const value = Number(amount)
  return Number.isFinite(value) ? DOLLARS.format(value) : null
}
