/** The statuses that the partner reports, in the words of orders. */
export type ReportedStatus = 'submitted' | 'processing' | 'ready' | 'picked_up' | 'cancelled'

const STATUSES = new Map<string, ReportedStatus>([
  ['submitting', 'submitted'],
  ['downloading', 'processing'],
  ['ready for pickup', 'ready'],
  ['sold', 'picked_up'],
])

/** No official text for a cancelled order is known. */
const CANCELLED = /cancel|reject|fail/

/** The status that the partner's text means, regardless of case and spaces; null for an unknown text. */
export function statusOfText(text: string): ReportedStatus | null {
  const normalized = text.trim().replace(/\s+/g, ' ').toLowerCase()
  return STATUSES.get(normalized) ?? (CANCELLED.test(normalized) ? 'cancelled' : null)
}
