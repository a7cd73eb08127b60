import type { SqlTransaction } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import { type Photo, Prisma } from '../generated/client.ts'

/** What the photos of one upload have in common. */
interface SharedColumns {
  userId: number
  folderId: number | null
  description: string | null
  ownIsPublic: boolean | null
  privateByChoice: boolean
}

type FileColumns = Pick<Photo, 'filename' | 'originalName' | 'title' | 'filesize' | 'sha256' | 'sha256Verified'> & {
  crc32: number | null
}

const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const COLUMNS = Object.values(Prisma.PhotoScalarFieldEnum).map((field) => `${columnOf(field)} AS "${field}"`)
const INSERT = `
  INSERT INTO photos (user_id, folder_id, description, own_is_public, private_by_choice,
    filename, original_name, title, filesize, sha256, sha256_verified, crc32)
  SELECT $1::int, $2::int, $3::text, $4::boolean, $5::boolean,
    filename, original_name, title, filesize, sha256, sha256_verified, crc32
  FROM unnest($6::text[], $7::text[], $8::text[], $9::int[], $10::text[], $11::boolean[], $12::bigint[]) WITH ORDINALITY
    AS file (filename, original_name, title, filesize, sha256, sha256_verified, crc32, place)
  ORDER BY place
  RETURNING ${COLUMNS.join(', ')}`

/** Creates photos of a gallery in the order of the files, in any kind of transaction. */
export async function insertPhotos(
  tx: SqlTransaction,
  { userId, folderId, description, ownIsPublic, privateByChoice }: SharedColumns,
  files: FileColumns[],
): Promise<Photo[]> {
  if (files.length === 0) return []
  const rows = await tx.$queryRawUnsafe<(Omit<Photo, 'crc32'> & { crc32: bigint | string | null })[]>(
    INSERT,
    ...[userId, folderId, description, ownIsPublic, privateByChoice],
    files.map(({ filename }) => filename),
    files.map(({ originalName }) => originalName),
    files.map(({ title }) => title),
    files.map(({ filesize }) => filesize),
    files.map(({ sha256 }) => sha256),
    files.map(({ sha256Verified }) => sha256Verified),
    files.map(({ crc32 }) => crc32),
  )
  return rows.map((row) => ({ ...row, crc32: row.crc32 === null ? null : BigInt(row.crc32) }))
}

/** The next free number among the user's photos with this SHA-256. The caller holds the lock of the user's uploads. */
export async function nextCopyNumber(tx: Transaction, userId: number, sha256: string): Promise<number> {
  const { _max } = await tx.photo.aggregate({
    where: { userId, sha256, purpose: 'gallery' },
    _max: { copyNumber: true },
  })
  return _max.copyNumber === null ? 0 : _max.copyNumber + 1
}
