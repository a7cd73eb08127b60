import { createHash } from 'node:crypto'
import { parse } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createFairQueue, type ObjectStore } from '@skyfolio/kit'
import {
  type Archive,
  type ArchiveEntry,
  type ArchiveFile,
  closeArchive,
  EMPTY_ARCHIVE,
  placeFiles,
} from '../archives/archive.ts'
import { createUniqueNames, safePhotoName } from '../archives/safe-names.ts'
import type { Database } from '../database.ts'
import { originalKey, renditionKey } from '../files/object-keys.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import { addChecksum } from '../photos/add-checksum.ts'
import { ORIGINAL_MISSING } from '../photos/status.ts'
import type { DownloadFiles, DownloadSize, DownloadTicket } from './tickets.ts'

/** What a download in one size would have. */
interface DownloadAmount {
  /** A pair is one. */
  photos: number
  files: number
  /** Of the files. */
  bytes: number
}

/** Between them other requests have their turn: the names of thousands take long. */
const PLACED_AT_ONCE = 500

type Choice = Pick<DownloadTicket, 'userId' | 'photoIds'>

/** The photos of a ticket that are still the user's, with the raw files of their pairs. */
function isChosen({ userId, photoIds }: Choice): Prisma.Sql {
  return Prisma.sql`(id = ANY (${photoIds}) AND purpose <> 'metadata' OR paired_with = ANY (${photoIds}) AND purpose = 'raw')
    AND user_id = ${userId}::int`
}

/** Those of them that have a file of this size and kind. */
function downloadCondition(ticket: Choice & { files: DownloadFiles }, size: DownloadSize): Prisma.Sql {
  return Prisma.sql`${isChosen(ticket)} AND ${hasFile(size, ticket.files)}`
}

const IS_RAW = Prisma.sql`(purpose = 'raw' OR filename LIKE '%.dng')`

/** In web size a pair has its JPEG's preview alone. */
function hasFile(size: DownloadSize, files: DownloadFiles): Prisma.Sql {
  if (size === 'web') return Prisma.sql`preview IS NOT NULL AND purpose <> 'raw'`
  const isStored = Prisma.sql`status_message IS DISTINCT FROM ${ORIGINAL_MISSING.statusMessage}`
  if (files === 'both') return isStored
  return files === 'raw' ? Prisma.sql`${isStored} AND ${IS_RAW}` : Prisma.sql`${isStored} AND NOT ${IS_RAW}`
}

type Amounts = Record<DownloadSize | 'jpeg' | 'raw', DownloadAmount> & { photos: number }

/** Counts what can be downloaded of these photos. Those of others and deleted ones are left out. */
export async function measureDownload(db: Database, choice: Choice & { files: DownloadFiles }): Promise<Amounts> {
  const amountOf = (condition: Prisma.Sql, bytes: Prisma.Sql) => Prisma.sql`json_build_object(
    'photos', count(DISTINCT shot) FILTER (WHERE ${condition}), 'files', count(*) FILTER (WHERE ${condition}),
    'bytes', coalesce(sum(${bytes}::bigint) FILTER (WHERE ${condition}), 0))`
  const originals = (files: DownloadFiles) => amountOf(hasFile('original', files), Prisma.sql`filesize`)
  const [amounts] = await db.$queryRaw<[Amounts]>`
    SELECT count(DISTINCT shot)::int AS photos, ${originals(choice.files)} AS original, ${originals('jpeg')} AS jpeg,
      ${originals('raw')} AS raw, ${amountOf(hasFile('web', 'both'), Prisma.sql`preview_bytes`)} AS web
    FROM photos CROSS JOIN LATERAL (SELECT CASE WHEN purpose = 'raw' THEN paired_with ELSE id END AS shot) AS shots
    WHERE ${isChosen(choice)}`
  return amounts
}

type Row = Pick<Photo, 'id' | 'filename' | 'originalName' | 'dateTaken' | 'createdAt'> & {
  key: string
  size: number
  crc32: bigint
}

/**
 * The archive of a prepared ticket: the photos that exist now, the oldest first. The same photos make the same bytes, and the
 * same entity tag. Its entries are in memory: some 400 bytes for each photo.
 */
export async function openDownloadArchive(
  db: Database,
  ticket: DownloadTicket,
  size: DownloadSize,
): Promise<{ archive: Archive; etag: string }> {
  const rows = await readRows(db, ticket, size)
  return makeArchive(
    rows.map((row): ArchiveFile => {
      const { key, size: bytes, crc32, dateTaken, createdAt } = row
      return {
        path: nameOf(row, size),
        key,
        size: bytes,
        crc32: Number(crc32),
        modifiedAt: dateTaken ?? createdAt.toISOString(),
      }
    }),
  )
}

/** An archive of these files, each under a name of its own, with its entity tag. */
export async function makeArchive(files: ArchiveFile[]): Promise<{ archive: Archive; etag: string }> {
  const unique = createUniqueNames()
  const entries: ArchiveEntry[] = []
  let end = EMPTY_ARCHIVE
  for (let at = 0; at < files.length; at += PLACED_AT_ONCE) {
    const named = files.slice(at, at + PLACED_AT_ONCE).map((file) => ({ ...file, path: unique(file.path) }))
    const next = placeFiles(end, named)
    entries.push(...next.placed)
    end = next.end
    await setImmediate()
  }
  const archive = { ...closeArchive(end), entries: (offset = 0) => entriesFrom(entries, offset) }
  return { archive, etag: tagOf(entries) }
}

async function readRows(db: Database, ticket: DownloadTicket, size: DownloadSize): Promise<Row[]> {
  const [name, bytes, crc32] =
    size === 'web'
      ? [Prisma.sql`preview`, Prisma.sql`preview_bytes`, Prisma.sql`preview_crc32`]
      : [Prisma.sql`filename`, Prisma.sql`filesize`, Prisma.sql`crc32`]
  const rows = await db.$queryRaw<(Omit<Row, 'key'> & { name: string })[]>`
    SELECT id, filename, original_name AS "originalName", date_taken AS "dateTaken", created_at AS "createdAt",
      ${name} AS name, ${bytes} AS size, ${crc32} AS crc32
    FROM photos WHERE ${downloadCondition(ticket, size)} AND ${crc32} IS NOT NULL
    ORDER BY created_at, id`
  return rows.map(({ name, ...row }) => ({ ...row, key: size === 'web' ? renditionKey(name) : originalKey(name) }))
}

/** A safe name with the extension of the file. */
function nameOf(row: Row, size: DownloadSize): string {
  const original = safePhotoName(row)
  return size === 'web' ? `${parse(original).name}.webp` : original
}

async function* entriesFrom(entries: ArchiveEntry[], offset: number): AsyncGenerator<ArchiveEntry> {
  const first = entries.findLastIndex((entry) => entry.offset <= offset)
  for (let at = Math.max(0, first); at < entries.length; at += 1) yield entries[at] as ArchiveEntry
}

function tagOf(files: ArchiveFile[]): string {
  const hash = createHash('sha256')
  for (const { path, size, crc32, modifiedAt } of files) {
    hash.update(`${JSON.stringify(path)} ${size} ${crc32} ${modifiedAt}\n`)
  }
  return `"${hash.digest('hex').slice(0, 32)}"`
}

interface PrepareDeps {
  db: Database
  store: ObjectStore
}

const READ_AT_ONCE = 4
/** Shorter than the gateway's timeout, with the last objects that are read. */
const TURN_MS = 15_000

/**
 * Reads the originals of the ticket's photos that have no checksum yet: those that were uploaded in parts and have not been
 * verified. Each checksum is stored at once, so that none is read twice. Returns how many are left after one turn. Previews have
 * their checksum from processing.
 */
export async function prepareDownload(deps: PrepareDeps, ticket: DownloadTicket, size: DownloadSize): Promise<number> {
  return size === 'web' ? 0 : addChecksums(deps, await findUnchecked(deps.db, ticket))
}

type Unchecked = Pick<Photo, 'id' | 'filename' | 'filesize'>

/** Reads the originals of photos without a checksum, for one turn. Returns how many are left. */
export async function addChecksums(deps: PrepareDeps, unchecked: Unchecked[]): Promise<number> {
  const end = performance.now() + TURN_MS
  const limiter = createFairQueue({ total: READ_AT_ONCE })
  let left = unchecked.length
  await Promise.all(
    unchecked.map((photo) =>
      limiter.run({}, async () => {
        if (performance.now() >= end) return
        await addChecksum(deps, photo)
        left -= 1
      }),
    ),
  )
  return left
}

function findUnchecked(db: Database, ticket: DownloadTicket): Promise<Unchecked[]> {
  const condition = downloadCondition(ticket, 'original')
  return db.$queryRaw`SELECT id, filename, filesize FROM photos WHERE ${condition} AND crc32 IS NULL`
}
