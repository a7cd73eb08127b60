import { badRequest } from '@skyfolio/kit'
import { Type } from 'typebox'

/** Which photos of a list are wanted; what is absent or empty holds for all. */
export const FilterQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Part of the title, the description, the city or the state, in any case',
    }),
  ),
  location: Type.Optional(
    Type.String({ maxLength: 250, description: 'Exactly "city, state", or the one of them that is known' }),
  ),
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      description: '`today`, `week`, `month` or `year`: at most 0, 7, 30 or 365 whole days old; or a time, ISO 8601',
    }),
  ),
})

export interface Filter {
  /** Null: every text. */
  q: string | null
  location: string | null
  /** The first moment of `createdAt` that is wanted. */
  since: Date | null
}

const DAY_MS = 24 * 3600 * 1000
const DAYS: Record<string, number> = { today: 0, week: 7, month: 30, year: 365 }
/** With a zone: without one a time would be the server's. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

function sinceOf(from: string): Date {
  const days = Object.hasOwn(DAYS, from) ? DAYS[from] : undefined
  // What is 7 whole days old is not yet 8 days old.
  if (days !== undefined) return new Date(Date.now() - (days + 1) * DAY_MS + 1)
  const time = new Date(from)
  if (!TIME.test(from) || Number.isNaN(time.getTime())) throw badRequest('The date filter is not valid.')
  return time
}

/** @throws AppError 400 for a date that is none */
export function readFilter({ q, location, from }: Type.Static<typeof FilterQuery>): Filter {
  return { q: q || null, location: location || null, since: from ? sinceOf(from) : null }
}

/** Whether no photo can match: the characters are in no stored text, and PostgreSQL's texts cannot hold the first. */
export function matchesNothing({ q, location }: Filter): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
  return /[\0\x01]/.test(q ?? '') || /\0/.test(location ?? '')
}
