import type { PhotoSort } from '../api/photo-lists.ts'

/** The orders of a list of photos, as they are offered. */
export const SORT_LABELS: Readonly<Record<PhotoSort, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  'taken-newest': 'Date taken, newest first',
  'taken-oldest': 'Date taken, oldest first',
}

/** Reads an order from outside; null when there is no such order. */
export function parseSort(value: unknown): PhotoSort | null {
  return typeof value === 'string' && Object.hasOwn(SORT_LABELS, value) ? (value as PhotoSort) : null
}
