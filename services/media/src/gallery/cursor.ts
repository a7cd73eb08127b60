import { badRequest } from '@skyfolio/kit'
import type { Position } from './list-query.ts'

/** Years that both JavaScript and PostgreSQL support. */
const FIRST_YEAR = 1
const LAST_YEAR = 9999
const LAST_ID = 2 ** 31 - 1

/** Encodes a position for a link. The cursor stays valid when the photo is deleted. */
export function encodeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url')
}

/** @throws AppError 400 for an invalid cursor */
export function decodeCursor(cursor: string): Position {
  const [date = '', number = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const createdAt = new Date(date)
  const year = createdAt.getUTCFullYear()
  const id = Number(number)
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR) || !/^\d{1,10}$/.test(number) || id > LAST_ID) {
    throw badRequest('The cursor is not valid.')
  }
  return { createdAt, id }
}
