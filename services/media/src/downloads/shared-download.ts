import { isUnlocked, notFound, type Pair, passwordRequired, withoutZone } from '@skyfolio/kit'
import type { Archive, ArchiveFile } from '../archives/archive.ts'
import { safeTitle } from '../archives/safe-names.ts'
import { measureCleanFiles, readCleanPieces } from '../clean-files/clean-files.ts'
import type { Database } from '../database.ts'
import type { MediaDeps } from '../deps.ts'
import { originalKey, renditionKey } from '../files/object-keys.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import { ORIGINAL_MISSING } from '../photos/status.ts'
import { isPublic, type OwnSetting } from '../photos/visibility.ts'
import { cleaningOf, downloadsOff } from '../pictures/pictures.ts'
import type { CurrentFolder, CurrentLink, Folders } from '../projection/folders.ts'
import { addChecksums, makeArchive } from './download-files.ts'
import type { DownloadSize } from './tickets.ts'

/** What a visitor downloads with a link: photos of the folder, or all. */
export interface SharedDownload {
  folder: CurrentFolder
  link: CurrentLink
  size: DownloadSize
  photoIds: number[] | null
}

/** The folder that the link with this code opens, and the link. @throws AppError 404, 403 when its password was not entered, 503 */
export async function openLink(
  folders: Folders,
  shareCode: string,
  unlocked: readonly Pair[],
): Promise<{ folder: CurrentFolder; link: CurrentLink }> {
  const opened = await folders.fetchByCode(shareCode)
  if (!opened?.folder.isPublic || opened.folder.ownerSuspended) throw notFound('Folder not found')
  if (!isUnlocked(unlocked, opened.link)) throw passwordRequired()
  return opened
}

/** The size that the link gives; the largest one unless another is wanted. @throws AppError 403 */
export function givenSize({ downloads }: CurrentLink, wanted: DownloadSize | undefined): DownloadSize {
  if (downloads === 'none' || (downloads === 'web' && wanted === 'original')) throw downloadsOff()
  return wanted ?? downloads
}

/** The chosen photos that visitors see, if they have a file of the size, the oldest first. */
async function readOffered<Columns>(
  db: Database,
  { folder, size, photoIds }: SharedDownload,
  columns: Prisma.Sql,
): Promise<Columns[]> {
  const isChosen = photoIds ? Prisma.sql`id = ANY (${photoIds})` : Prisma.sql`true`
  const hasFile =
    size === 'web'
      ? Prisma.sql`preview_crc32 IS NOT NULL`
      : Prisma.sql`status_message IS DISTINCT FROM ${ORIGINAL_MISSING.statusMessage}`
  const rows = await db.$queryRaw<(Columns & OwnSetting)[]>`
    SELECT ${columns}, own_is_public AS "ownIsPublic", own_visibility_revision AS "ownVisibilityRevision",
      private_by_choice AS "privateByChoice"
    FROM photos WHERE folder_id = ${folder.id} AND purpose = 'gallery' AND ${isChosen} AND ${hasFile}
    ORDER BY created_at, id`
  return rows.filter((photo) => isPublic(photo, folder))
}

/** The photos of the download that visitors see now. */
export async function findOffered(db: Database, download: SharedDownload): Promise<number[]> {
  return (await readOffered<{ id: number }>(db, download, Prisma.sql`id`)).map(({ id }) => id)
}

type PrepareDeps = Pick<MediaDeps, 'db' | 'store' | 'fileCleaner'>

/** Reads originals whose checksum, or whose cleaned file, is not known yet, for some seconds. Returns how many are left. */
export async function prepareShared(deps: PrepareDeps, download: SharedDownload): Promise<number> {
  if (download.size === 'web') return 0
  const rows = await readRows(deps.db, download)
  if (cleaningOf(download.link)) return deps.fileCleaner.prepareAll(rows.map(({ id }) => id))
  return addChecksums(
    deps,
    rows.filter(({ crc32 }) => crc32 === null),
  )
}

/** The archive of a prepared download, the oldest photo first. Files that cannot be cleaned are left out where that is needed. */
export async function openSharedArchive(
  db: Database,
  download: SharedDownload,
): Promise<{ archive: Archive; etag: string; photoIds: number[] }> {
  const rows = await readRows(db, download)
  const files = await (download.size === 'web'
    ? rows.map((row) => webFile(row, download.link))
    : originalFiles(db, download.link, rows))
  const photoIds = files.map(({ photoId }) => photoId)
  return { ...(await makeArchive(files)), photoIds }
}

type Row = Pick<
  Photo,
  | 'id'
  | 'title'
  | 'filename'
  | 'filesize'
  | 'crc32'
  | 'preview'
  | 'previewBytes'
  | 'previewCrc32'
  | 'dateTaken'
  | 'createdAt'
>
type SharedFile = ArchiveFile & { photoId: number }

function readRows(db: Database, download: SharedDownload): Promise<Row[]> {
  return readOffered(
    db,
    download,
    Prisma.sql`id, title, filename, filesize, crc32, preview, preview_bytes AS "previewBytes",
      preview_crc32 AS "previewCrc32", date_taken AS "dateTaken", created_at AS "createdAt"`,
  )
}

function common(row: Row, storedName: string, { showPlaces }: CurrentLink) {
  const { id, dateTaken, createdAt } = row
  const taken = dateTaken && !showPlaces ? withoutZone(dateTaken) : dateTaken
  return { photoId: id, path: safeTitle(row, storedName), modifiedAt: taken ?? createdAt.toISOString() }
}

function webFile(row: Row, link: CurrentLink): SharedFile {
  const { preview, previewBytes, previewCrc32 } = row as Row & { preview: string; previewBytes: number }
  return {
    ...common(row, preview, link),
    key: renditionKey(preview),
    size: previewBytes,
    crc32: Number(previewCrc32),
  }
}

async function originalFiles(db: Database, link: CurrentLink, rows: Row[]): Promise<SharedFile[]> {
  const cleaning = cleaningOf(link)
  if (!cleaning) {
    return rows.flatMap((row) => {
      const { filename, filesize: size, crc32 } = row
      return crc32 === null
        ? []
        : [{ ...common(row, filename, link), key: originalKey(filename), size, crc32: Number(crc32) }]
    })
  }
  const clean = await measureCleanFiles(
    db,
    rows.map(({ id }) => id),
    cleaning,
  )
  return rows.flatMap((row) => {
    const { id } = row
    const measured = clean.get(id)
    if (!measured) return []
    const pieces = () => readCleanPieces(db, id, cleaning)
    return [{ ...common(row, row.filename, link), ...measured, key: originalKey(row.filename), pieces }]
  })
}
