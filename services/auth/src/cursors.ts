import { cursorInvalid } from '@skyfolio/kit'

// Cursors of lists in the order of time and number: the position of the last entry of a page, for the link to the next one.
// They stay valid when that entry is removed.

/** A position: ISO 8601 with microseconds, as PostgreSQL has them, and the number that orders entries of one moment. */
export interface Position {
  time: string
  number: bigint
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})\d{3}Z$/

export function encodeCursor({ time, number }: Position): string {
  return Buffer.from(`${time} ${number}`).toString('base64url')
}

/** @throws 400 for an invalid cursor, or a number above `last` */
export function decodeCursor(cursor: string, last: bigint): Position {
  const [time = '', digits = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const number = /^\d{1,19}$/.test(digits) ? BigInt(digits) : null
  if (!isExactTime(time) || number === null || number > last) throw cursorInvalid()
  return { time, number }
}

/** Whether it is a time that exists. JavaScript also reads 30 February. */
function isExactTime(text: string): boolean {
  const milliseconds = TIME.exec(text)?.[1]
  if (!milliseconds || milliseconds.startsWith('0000')) return false
  const time = new Date(`${milliseconds}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString() === `${milliseconds}Z`
}
