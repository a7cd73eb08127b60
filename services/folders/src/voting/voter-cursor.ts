import { badRequest } from '@skyfolio/kit'
import type { VoterCursor } from './voter-list.ts'

export function encodeVoterCursor({ updatedAt, hash }: VoterCursor): string {
  return Buffer.from(`${updatedAt}|${hash}`).toString('base64url')
}

const CURSOR =
  /^(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{6}Z)\|([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** Throws 400 unless `encodeVoterCursor` can have made the text. */
export function decodeVoterCursor(text: string): VoterCursor {
  const [, second = '', fraction = '', hash = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
  const time = new Date(`${second}Z`)
  // Only a time that exists is formatted as it was: no 30 February.
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(second)) {
    throw badRequest('The cursor is not valid for this list.')
  }
  return { updatedAt: second + fraction, hash }
}
