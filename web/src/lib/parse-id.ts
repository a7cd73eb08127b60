/** An id in an address; null for anything else. */
export function parseId(text = ''): number | null {
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null
}
