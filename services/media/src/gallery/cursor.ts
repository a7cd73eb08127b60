import { cursorInvalid } from '@skyfolio/kit'
import { isStorable } from './filter.ts'
import { isByTaken, type Position, type Sort } from './list-query.ts'

const LAST_ID = 2 ** 31 - 1

/** The sort key of a photo without a date, in either order. */
const TAKEN = /^(|~|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)$/

/** Encodes a position for a link. The cursor stays valid when the photo is deleted. */
export function encodeCursor({ createdAt, id, taken }: Position): string {
  const parts = taken === undefined ? [createdAt.toISOString(), id] : [createdAt.toISOString(), id, taken]
  return Buffer.from(parts.join(' ')).toString('base64url')
}

/** @throws AppError 400 for an invalid cursor, or one of a list in another order */
export function decodeCursor(cursor: string, sort: Sort): Position {
  const [date = '', number = '', taken] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const createdAt = new Date(date)
  const id = Number(number)
  const isValid = isStorable(createdAt) && /^\d{1,10}$/.test(number) && id <= LAST_ID
  const isOfSort = isByTaken(sort) ? TAKEN.test(taken ?? 'none') : taken === undefined
  if (!isValid || !isOfSort) throw cursorInvalid()
  return { createdAt, id, ...(taken !== undefined && { taken }) }
}
