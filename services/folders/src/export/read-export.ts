import type { MessageInitShape } from '@bufbuild/protobuf'
import { badRequest } from '@skyfolio/kit'
import type { GetExportRequest, GetExportResponseSchema } from '@skyfolio/proto'
import type { Pool } from 'pg'
import { readAllStandings } from '../voting/standings.ts'

/** Where the next page of an export begins. */
interface ExportCursor {
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
function decodeExportCursor(text: string): ExportCursor {
  if (text === '') return { part: 'folders', folderId: 0, photoId: 0, file: 1 }
  const [, part, ...numbers] = CURSOR.exec(text) ?? []
  const [folderId = 0, photoId = 0, file = 0] = numbers.map(Number)
  if (!part || folderId > MAX_ID || photoId > MAX_ID || file < 1) throw badRequest('Unknown cursor')
  return { part: part as ExportCursor['part'], folderId, photoId, file }
}

function encodeExportCursor({ part, folderId, photoId, file }: ExportCursor): string {
  return `${part}.${folderId}.${photoId}.${file}`
}

/** In bytes; with the last entry and its envelope a page stays below half a megabyte. */
const MAX_BYTES = 400_000

/** Entries of a JSON file that holds a bounded number of bytes. */
interface JsonPage {
  /** Adds an entry unless the page is full. Returns whether it was added. */
  add(entry: object): boolean
  isFull(): boolean
  isEmpty(): boolean
  content(): Uint8Array
}

function createJsonPage(): JsonPage {
  const entries: string[] = []
  let bytes = 0
  return {
    add(entry) {
      if (bytes >= MAX_BYTES) return false
      const text = `  ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n  ')}`
      entries.push(text)
      bytes += Buffer.byteLength(text) + 2
      return true
    },
    isFull: () => bytes >= MAX_BYTES,
    isEmpty: () => entries.length === 0,
    content: () => Buffer.from(entries.length === 0 ? '[]\n' : `[\n${entries.join(',\n')}\n]\n`),
  }
}

type ExportResponse = MessageInitShape<typeof GetExportResponseSchema>

/** Folders that one query reads. */
const FOLDERS_AT_ONCE = 200

const FOLDERS = `
SELECT id, name, description, is_public AS "isPublic", voting_open AS "votingOpen", cover_photo_id AS "coverPhotoId",
       (SELECT json_agg(json_build_object('name', link.name, 'path', CASE kind WHEN 'vote' THEN '/share/' WHEN 'view' THEN '/viewer/' ELSE '/browse/' END || code,
          'expiresAt', to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'hasPassword', password_hash IS NOT NULL, 'showPlaces', show_places, 'showCamera', show_camera,
          'showMap', show_map, 'downloads', downloads, 'votingUntil', to_char(voting_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY link.id)
        FROM links AS link WHERE folder_id = folders.id) AS links,
       created_at AS "createdAt", updated_at AS "updatedAt"
FROM folders WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3`
const NAMES = 'SELECT id, name FROM folders WHERE user_id = $1 AND id >= $2 ORDER BY id LIMIT $3'

/**
 * A page of what folders has of a user, as files of the user's export: the folders, then how often their photos were
 * ranked. Nothing in them tells voters apart.
 */
export async function readExport(pool: Pool, { userId, cursor: text }: GetExportRequest): Promise<ExportResponse> {
  const cursor = decodeExportCursor(text)
  return cursor.part === 'folders' ? folderPage(pool, userId, cursor) : rankingPage(pool, userId, cursor)
}

async function folderPage(pool: Pool, userId: number, { folderId, file }: ExportCursor): Promise<ExportResponse> {
  const { rows } = await pool.query<{ id: number }>(FOLDERS, [userId, folderId, FOLDERS_AT_ONCE])
  const page = createJsonPage()
  const added = rows.filter((row) => page.add(row))
  const isLast = added.length === rows.length && rows.length < FOLDERS_AT_ONCE
  const next: ExportCursor = isLast
    ? { part: 'rankings', folderId: 0, photoId: 0, file: 1 }
    : { part: 'folders', folderId: added.at(-1)?.id ?? folderId, photoId: 0, file: file + 1 }
  // A user without folders gets a file that says so.
  const hasFile = !page.isEmpty() || file === 1
  return { files: hasFile ? [fileOf('folders', file, page)] : [], next: encodeExportCursor(next) }
}

async function rankingPage(pool: Pool, userId: number, cursor: ExportCursor): Promise<ExportResponse> {
  const { folderId, file } = cursor
  const { rows: folders } = await pool.query<{ id: number; name: string }>(NAMES, [userId, folderId, FOLDERS_AT_ONCE])
  const page = createJsonPage()
  let place = cursor
  for (const folder of folders) {
    const after = folder.id === folderId ? cursor.photoId : 0
    const photoId = await addRankings(pool, page, folder, after)
    place = { ...cursor, folderId: folder.id, photoId }
    if (page.isFull()) break
  }
  const isLast = !page.isFull() && folders.length < FOLDERS_AT_ONCE
  const files = page.isEmpty() ? [] : [fileOf('rankings', file, page)]
  return { files, next: isLast ? '' : encodeExportCursor({ ...place, file: file + files.length }) }
}

/** Adds the rankings of a folder until it ends or the page is full. Returns the photo up to which they are added. */
async function addRankings(
  pool: Pool,
  page: JsonPage,
  folder: { id: number; name: string },
  after: number,
): Promise<number> {
  const standings = await readAllStandings(pool, folder.id)
  const ranked = standings.filter(({ photoId, voters }) => photoId > after && voters > 0)
  let last = after
  for (const ranking of ranked.sort((a, b) => a.photoId - b.photoId)) {
    if (!page.add({ folderId: folder.id, folder: folder.name, ...ranking })) return last
    last = ranking.photoId
  }
  return MAX_ID
}

function fileOf(part: ExportCursor['part'], number: number, page: JsonPage) {
  return { path: `folders/${part}-${String(number).padStart(4, '0')}.json`, content: page.content() }
}
