import { formatCameraDate } from '../../lib/format.ts'

/** The text for a photo's date; `known` for a valid date. */
export interface DateTaken {
  text: string
  known: boolean
}

/** 'May 4, 2024 at 3:04 PM', or why there is no date: it is missing, invalid, or not in ISO 8601. */
export function describeDateTaken(iso: string | null): DateTaken {
  if (!iso) return { text: 'No EXIF date', known: false }
  if (Number.isNaN(Date.parse(iso)) || !isOnCalendar(iso)) return { text: 'Invalid date', known: false }
  const text = formatCameraDate(iso)
  return text === null ? { text: 'Date format error', known: false } : { text, known: true }
}

/** Browsers turn February 30 into March 2. */
function isOnCalendar(iso: string): boolean {
  const day = /^\d{4}-\d\d-\d\d/.exec(iso)?.[0]
  return day === undefined || new Date(`${day}T00:00Z`).toISOString().startsWith(day)
}
