import { formatCameraDate } from '../../lib/format.ts'

/** What is said of a photo's date; `known` when it is one. */
export interface DateTaken {
  text: string
  known: boolean
}

/** 'May 4, 2024 at 3:04 PM', or why there is no such date: none was written, it is none, or it is not written as ISO 8601. */
export function describeDateTaken(iso: string | null): DateTaken {
  if (!iso) return { text: 'No EXIF date', known: false }
  if (Number.isNaN(Date.parse(iso)) || !isOnCalendar(iso)) return { text: 'Invalid date', known: false }
  const text = formatCameraDate(iso)
  return text === null ? { text: 'Date format error', known: false } : { text, known: true }
}

/** Browsers make March 2 of February 30. */
function isOnCalendar(iso: string): boolean {
  const day = /^\d{4}-\d\d-\d\d/.exec(iso)?.[0]
  return day === undefined || new Date(`${day}T00:00Z`).toISOString().startsWith(day)
}
