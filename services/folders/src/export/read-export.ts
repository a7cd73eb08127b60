import type { MessageInitShape } from '@bufbuild/protobuf'
import { badRequest } from '@skyfolio/kit'
import type { GetExportRequest, GetExportResponseSchema } from '@skyfolio/proto'
import type { Pool } from 'pg'
import { readAllStandings } from '../voting/standings.ts'

type Part = 'folders' | 'rankings' | 'invitations' | 'counts'

/** Where the next page of an export begins. */
interface ExportCursor {
  part: Part
  /** The folder after which it begins; of the other parts, the folder that their entries are of. */
  folderId: number
  /** What of that folder it begins after: a photo, an invitation, or a count. */
  entryId: number
  /** The number of the part's next file. */
  file: number
}

const CURSOR = /^(folders|rankings|invitations|counts)\.(\d{1,10})\.(\d{1,10})\.(\d{1,9})$/
const MAX_ID = 2 ** 31 - 1

/** Reads a cursor; an empty text is the beginning. Throws 400 for anything else. */
function decodeExportCursor(text: string): ExportCursor {
  if (text === '') return beginningOf('folders')
  const [, part, ...numbers] = CURSOR.exec(text) ?? []
  const [folderId = 0, entryId = 0, file = 0] = numbers.map(Number)
  if (!part || folderId > MAX_ID || entryId > MAX_ID || file < 1) throw badRequest('Unknown cursor')
  return { part: part as Part, folderId, entryId, file }
}

function beginningOf(part: Part): ExportCursor {
  return { part, folderId: 0, entryId: 0, file: 1 }
}

function encodeExportCursor({ part, folderId, entryId, file }: ExportCursor): string {
  return `${part}.${folderId}.${entryId}.${file}`
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

/** SQL: a moment as JSON has it. */
const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const FOLDERS = `
SELECT id, name, description, is_public AS "isPublic", voting_open AS "votingOpen", cover_photo_id AS "coverPhotoId",
       json_build_object('opensAt', ${time('opens_at')}, 'closesAt', ${time('closes_at')}, 'closedAt', ${time('closed_at')}, 'show', show_standings,
         'order', photo_order, 'voters', voters, 'openBallot', open_ballot, 'resultsPublic', results_public, 'resultsText', results_text) AS contest,
       (SELECT json_agg(json_build_object('name', link.name, 'path', CASE kind WHEN 'vote' THEN '/share/' WHEN 'view' THEN '/viewer/' ELSE '/browse/' END || code,
          'expiresAt', ${time('expires_at')}, 'hasPassword', password_hash IS NOT NULL, 'showPlaces', show_places, 'showCamera', show_camera,
          'showMap', show_map, 'downloads', downloads, 'votingUntil', ${time('voting_until')}, 'embedOrigins', embed_origins) ORDER BY link.id)
        FROM links AS link WHERE folder_id = folders.id) AS links,
       created_at AS "createdAt", updated_at AS "updatedAt"
FROM folders WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3`
const NAMES = 'SELECT id, name FROM folders WHERE user_id = $1 AND id >= $2 ORDER BY id LIMIT $3'

/** Invitations or counts that one query reads. */
const ENTRIES_AT_ONCE = 5000

const INVITATIONS = `
SELECT folders.id AS "folderId", folders.name AS folder, invitation.id, invitation.name
FROM folders JOIN invitations AS invitation ON folder_id = folders.id
WHERE user_id = $1 AND folders.id >= $2 AND (folders.id, invitation.id) > ($2, $3) ORDER BY folders.id, invitation.id LIMIT $4`

const COUNTS = `
SELECT folders.id AS "folderId", folders.name AS folder, entry.id::integer, at, ballots, excluded, note, ballots_digest AS "ballotsDigest", digest
FROM folders JOIN vote_counts AS entry ON folder_id = folders.id
WHERE user_id = $1 AND folders.id >= $2 AND (folders.id, entry.id) > ($2, $3) ORDER BY folders.id, entry.id LIMIT $4`

/**
 * A page of what folders has of a user, as files of the user's export: the folders with their contests, how often their photos were
 * ranked, who is invited to vote, and the published logs of counts. Nothing in them tells how anybody voted.
 */
export async function readExport(pool: Pool, { userId, cursor: text }: GetExportRequest): Promise<ExportResponse> {
  const cursor = decodeExportCursor(text)
  switch (cursor.part) {
    case 'folders':
      return folderPage(pool, userId, cursor)
    case 'rankings':
      return rankingPage(pool, userId, cursor)
    case 'invitations':
      return listPage(pool, userId, cursor, INVITATIONS, 'counts')
    case 'counts':
      return listPage(pool, userId, cursor, COUNTS, null)
  }
}

async function folderPage(pool: Pool, userId: number, { folderId, file }: ExportCursor): Promise<ExportResponse> {
  const { rows } = await pool.query<{ id: number }>(FOLDERS, [userId, folderId, FOLDERS_AT_ONCE])
  const page = createJsonPage()
  const added = rows.filter((row) => page.add(row))
  const isLast = added.length === rows.length && rows.length < FOLDERS_AT_ONCE
  const next: ExportCursor = isLast
    ? beginningOf('rankings')
    : { part: 'folders', folderId: added.at(-1)?.id ?? folderId, entryId: 0, file: file + 1 }
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
    const after = folder.id === folderId ? cursor.entryId : 0
    const entryId = await addRankings(pool, page, folder, after)
    place = { ...cursor, folderId: folder.id, entryId }
    if (page.isFull()) break
  }
  const isLast = !page.isFull() && folders.length < FOLDERS_AT_ONCE
  const files = page.isEmpty() ? [] : [fileOf('rankings', file, page)]
  const next = isLast ? beginningOf('invitations') : { ...place, file: file + files.length }
  return { files, next: encodeExportCursor(next) }
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

/** A page of a part that one query lists; after its end comes the next part, if there is one. */
async function listPage(
  pool: Pool,
  userId: number,
  { part, folderId, entryId, file }: ExportCursor,
  query: string,
  nextPart: Part | null,
): Promise<ExportResponse> {
  const { rows } = await pool.query<{ folderId: number; id: number }>(query, [
    userId,
    folderId,
    entryId,
    ENTRIES_AT_ONCE,
  ])
  const page = createJsonPage()
  const last = rows.filter(({ id, ...entry }) => page.add(entry)).at(-1)
  const files = page.isEmpty() ? [] : [fileOf(part, file, page)]
  const isLast = !page.isFull() && rows.length < ENTRIES_AT_ONCE
  if (isLast) return { files, next: nextPart === null ? '' : encodeExportCursor(beginningOf(nextPart)) }
  const place = { part, folderId: last?.folderId ?? folderId, entryId: last?.id ?? entryId, file: file + files.length }
  return { files, next: encodeExportCursor(place) }
}

function fileOf(part: Part, number: number, page: JsonPage) {
  return { path: `folders/${part}-${String(number).padStart(4, '0')}.json`, content: page.content() }
}
