/** The first index in view and the one behind the last, of items of the same width in a row, and some beside them. */
export function visibleRange(
  { left, width }: { left: number; width: number },
  step: number,
  count: number,
  beside: number,
): [from: number, to: number] {
  const from = Math.max(0, Math.floor(left / step) - beside)
  const to = Math.min(count, Math.ceil((left + width) / step) + beside)
  return [Math.min(from, count), to]
}
