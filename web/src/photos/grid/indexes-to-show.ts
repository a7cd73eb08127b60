/** The number of the list item that contains an element, from its `data-index`; null outside of items. */
export function indexOfItem(target: Element): number | null {
  const item = target.closest<HTMLElement>('[data-index]')
  return item ? Number(item.dataset.index) : null
}

/** The items of the visible rows, and the focused one: it stays rendered when it is scrolled out of view. */
export function indexesToShow(first: number, last: number, focused: number | null): number[] {
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  if (focused === null || last < first || (focused >= first && focused <= last)) return indexes
  return focused < first ? [focused, ...indexes] : [...indexes, focused]
}
