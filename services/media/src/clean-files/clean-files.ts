import { crc32 } from 'node:zlib'
import { createFairQueue, type ObjectStore } from '@skyfolio/kit'
import type { Piece } from '../archives/archive.ts'
import { MissingObjectError } from '../archives/read-pieces.ts'
import type { Database } from '../database.ts'
import { formatOf, originalKey } from '../files/object-keys.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import { cleanJpeg } from './clean-jpeg.ts'
import type { CleanParts } from './clean-parts.ts'
import { cleanPng, PNG_END } from './clean-png.ts'
import { combineCrc32 } from './crc32.ts'

type Original = Pick<Photo, 'id' | 'userId' | 'filename' | 'filesize'>

/** Which file: with what the camera is and how it was set, or without. Neither has places. */
interface Variant {
  camera: boolean
}

const READ_AT_ONCE = 4
/** Shorter than the gateway's timeout, with the last objects that are read. */
const TURN_MS = 15_000

export type FileCleaner = ReturnType<typeof createFileCleaner>

/** Finds out, once for each original, what its cleaned file consists of: reads the original, in bounded memory. */
export function createFileCleaner({ db, store }: { db: Database; store: ObjectStore }) {
  const queue = createFairQueue({ total: READ_AT_ONCE })
  /** By the names of the originals. */
  const running = new Map<string, Promise<boolean>>()

  async function clean(photo: Original): Promise<boolean> {
    const { id: photoId, filename } = photo
    const known = await db.cleanFile.findFirst({ where: { photoId, filename }, select: { crc32: true } })
    if (known) return known.crc32 !== null
    const object = await store.get(originalKey(filename))
    if (object?.size !== photo.filesize) {
      object?.body.destroy()
      return false
    }
    const chunks = readWhole(object)
    const parts = await (formatOf(filename) === 'png' ? cleanPng(chunks) : cleanJpeg(chunks))
    await saveRow(db, photo, parts)
    return parts !== null
  }

  /**
   * Whether the photo has a cleaned file, which can be read from then on: not of a format other than JPEG and PNG, nor of a
   * damaged or missing original. @throws when the store is unavailable
   */
  async function prepare(photo: Original): Promise<boolean> {
    if (!['jpg', 'png'].includes(formatOf(photo.filename))) return false
    const { filename, userId } = photo
    const begun = running.get(filename) ?? queue.run({ key: userId }, () => clean(photo))
    running.set(filename, begun)
    return begun.finally(() => running.delete(filename))
  }

  return {
    prepare,

    /** Prepares the files of these photos, for some seconds. Returns how many are left. @throws as `prepare` */
    async prepareAll(photoIds: number[]): Promise<number> {
      const end = performance.now() + TURN_MS
      const unprepared = await findUnprepared(db, photoIds)
      let left = unprepared.length
      // Others have their turn between those of one call.
      const turns = createFairQueue({ total: READ_AT_ONCE })
      const prepareInTurn = async (photo: Original) => {
        if (performance.now() >= end) return
        await prepare(photo)
        left -= 1
      }
      await Promise.all(unprepared.map((photo) => turns.run({}, () => prepareInTurn(photo))))
      return left
    },
  }
}

/** An object that ends early is not taken for a damaged file. */
async function* readWhole({ size, body }: { size: number; body: AsyncIterable<Buffer> }): AsyncGenerator<Buffer> {
  let left = size
  for await (const chunk of body) {
    left -= chunk.length
    yield chunk
  }
  if (left > 0) throw new Error('the original ended early')
}

/** Rows that were made of the photo's present original. */
const OF_ORIGINAL = Prisma.sql`clean_files.photo_id = photos.id AND clean_files.filename = photos.filename`

function findUnprepared(db: Database, photoIds: number[]): Promise<Original[]> {
  return db.$queryRaw`
    SELECT id, user_id AS "userId", filename, filesize FROM photos
    WHERE id = ANY (${photoIds}) AND (filename LIKE '%.jpg' OR filename LIKE '%.png')
      AND NOT EXISTS (SELECT FROM clean_files WHERE ${OF_ORIGINAL})`
}

/** Saves what was found, unless the photo was deleted or has another original by now. */
async function saveRow(db: Database, { id, filename }: Original, parts: CleanParts | null): Promise<void> {
  const checksum = (head: Buffer) => parts && wholeChecksum(head, parts, footOf(filename))
  const { head = null, plainHead = null, range } = parts ?? {}
  await db.$executeRaw`
    INSERT INTO clean_files (photo_id, filename, head, crc32, plain_head, plain_crc32, range_start, range_end)
    SELECT id, filename, ${head}::bytea, ${head && checksum(head)}::bigint,
      ${plainHead}::bytea, ${plainHead && checksum(plainHead)}::bigint,
      ${range?.start ?? null}::integer, ${range?.end ?? null}::integer
    FROM photos WHERE id = ${id} AND filename = ${filename} FOR KEY SHARE
    ON CONFLICT (photo_id) DO UPDATE SET (filename, head, crc32, plain_head, plain_crc32, range_start, range_end) = (
      EXCLUDED.filename, EXCLUDED.head, EXCLUDED.crc32, EXCLUDED.plain_head, EXCLUDED.plain_crc32,
      EXCLUDED.range_start, EXCLUDED.range_end)`
}

function wholeChecksum(head: Buffer, { range, rangeCrc32 }: CleanParts, foot: Buffer): number {
  const rest = crc32(foot, rangeCrc32)
  return combineCrc32(crc32(head), rest, range.end + 1 - range.start + foot.length)
}

function footOf(filename: string): Buffer {
  return formatOf(filename) === 'png' ? PNG_END : Buffer.alloc(0)
}

/** The columns of a variant. */
function columnsOf({ camera }: Variant): { head: Prisma.Sql; crc32: Prisma.Sql } {
  return camera
    ? { head: Prisma.sql`head`, crc32: Prisma.sql`clean_files.crc32` }
    : { head: Prisma.sql`plain_head`, crc32: Prisma.sql`plain_crc32` }
}

/** Bytes and CRC-32 of the cleaned files of these photos, by their ids: of those that are prepared and have one. */
export async function measureCleanFiles(
  db: Database,
  photoIds: number[],
  variant: Variant,
): Promise<Map<number, { size: number; crc32: number }>> {
  const { head, crc32 } = columnsOf(variant)
  const rows = await db.$queryRaw<{ photoId: number; filename: string; bytes: number; crc32: bigint }[]>`
    SELECT photo_id AS "photoId", photos.filename, octet_length(${head}) + range_end + 1 - range_start AS bytes, ${crc32} AS crc32
    FROM clean_files JOIN photos ON ${OF_ORIGINAL}
    WHERE photo_id = ANY (${photoIds}) AND head IS NOT NULL`
  return new Map(
    rows.map(({ photoId, filename, bytes, crc32 }) => {
      return [photoId, { size: bytes + footOf(filename).length, crc32: Number(crc32) }]
    }),
  )
}

/** What a photo's cleaned file consists of. @throws MissingObjectError when the photo, or its original, is gone */
export async function readCleanPieces(db: Database, photoId: number, variant: Variant): Promise<Piece[]> {
  const { head } = columnsOf(variant)
  type Row = { filename: string; filesize: number; head: Uint8Array; start: number; end: number }
  const [row] = await db.$queryRaw<Row[]>`
    SELECT photos.filename, filesize, ${head} AS head, range_start AS start, range_end AS "end"
    FROM clean_files JOIN photos ON ${OF_ORIGINAL}
    WHERE photo_id = ${photoId} AND head IS NOT NULL`
  if (!row) throw new MissingObjectError(`photo ${photoId} has no cleaned file any more`)
  const { filename, filesize, start, end } = row
  const range = { key: originalKey(filename), size: filesize, range: { start, end } }
  return [Buffer.from(row.head), range, footOf(filename)]
}
