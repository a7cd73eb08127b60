import { badRequest } from '@skyfolio/kit'

/** Where the next page of an export begins. */
export interface ExportCursor {
  part: 'folders' | 'rankings'
  /** The folder after which it begins; of rankings, the folder that they are of. */
  folderId: number
  /** The photo of that folder after which rankings begin. */
  photoId: number
  /** The number of the part's next file. */
  file: number
}

const CURSOR = /^(folders|rankings)\.(\d{1,10})\.(\d{1,10})\.(\d{1,9})$/
const MAX_ID = 2 ** 31 - 1

/** Reads a cursor; an empty text is the beginning. Throws 400 for anything else. */
export function decodeExportCursor(text: string): ExportCursor {
  if (text === '') return { part: 'folders', folderId: 0, photoId: 0, file: 1 }
  const [, part, ...numbers] = CURSOR.exec(text) ?? []
  const [folderId = 0, photoId = 0, file = 0] = numbers.map(Number)
  if (!part || folderId > MAX_ID || photoId > MAX_ID || file < 1) throw badRequest('Unknown cursor')
  return { part: part as ExportCursor['part'], folderId, photoId, file }
}

export function encodeExportCursor({ part, folderId, photoId, file }: ExportCursor): string {
  return `${part}.${folderId}.${photoId}.${file}`
}
