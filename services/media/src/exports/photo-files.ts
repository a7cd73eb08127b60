import { createFairQueue } from '@skyfolio/kit'
import { createUniqueNames, safeFolderName, safePhotoName } from '../archives/safe-names.ts'
import { inPages, type Transaction } from '../database.ts'
import { hasOriginal, originalKey } from '../files/object-keys.ts'
import type { Folder, Photo, Prisma } from '../generated/client.ts'
import { addChecksum } from '../photos/add-checksum.ts'
import { isPublic } from '../photos/visibility.ts'
import { loadFoldersOf } from '../projection/folders.ts'
import { type ArchiveWriter, type ExportFile, jsonList } from './archive-writer.ts'
import { type ExportDeps, type StartedExport, saveProgress } from './export-rows.ts'

const PAGE_SIZE = 200
const PHOTOS_PER_FILE = 1000
const CHECKED_AT_ONCE = 16
/** The snapshot stays open while its pages are written to the store, and checksums are read. */
const SNAPSHOT_MS = 3_600_000
const NO_FOLDER = 'No folder'
const METADATA_SCREEN = 'Metadata screen'

/** Paths of originals in the archive. */
type PathOf = (photo: Photo) => string

/** A photo of an export, as it is at the moment of the snapshot. */
interface Item {
  photo: Photo
  /** Null without a complete original. */
  file: ExportFile | null
  folder: Folder | null
}

/**
 * Adds the user's photos: their originals, what Skyfolio knows of them in parts of 1,000, and the manifest. All of it is of
 * one moment, whatever the user changes meanwhile. A photo without a complete original has no path.
 */
export async function addPhotos(
  deps: ExportDeps,
  row: StartedExport,
  writer: ArchiveWriter,
  folderNames: Map<number, string>,
): Promise<void> {
  await deps.db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL idle_in_transaction_session_timeout = '1h'`
      row.progress = { photos: await countPhotos(tx, row.userId), listed: 0 }
      const items = addOriginals(tx, deps, row, writer, createPaths(folderNames))
      await writer.addFile('manifest.json', jsonList(addLists(items, writer)))
    },
    { isolationLevel: 'RepeatableRead', timeout: SNAPSHOT_MS },
  )
  await saveProgress(deps.db, row)
}

/** Adds the originals to the archive, a page of photos at a time, and yields the photos. */
async function* addOriginals(
  tx: Transaction,
  deps: ExportDeps,
  row: StartedExport,
  writer: ArchiveWriter,
  pathOf: PathOf,
): AsyncGenerator<Item> {
  const limit = createFairQueue({ total: CHECKED_AT_ONCE })
  for await (const photos of listPhotos(tx, row.userId)) {
    deps.signal.throwIfAborted()
    const folders = await loadFoldersOf(tx, photos)
    const checksums = await Promise.all(photos.map((photo) => limit.run({}, () => findChecksum(deps, photo))))
    const items = photos.map((photo, index): Item => {
      const crc32 = checksums[index] ?? null
      const file = crc32 === null ? null : toFile(photo, crc32, pathOf(photo))
      return { photo, file, folder: folders.get(photo.folderId ?? 0) ?? null }
    })
    row.progress.listed = (row.progress.listed ?? 0) + photos.length
    await writer.add(items.flatMap(({ file }) => file ?? []))
    yield* items
  }
}

/** Adds the lists of photos to the archive, and yields what the manifest says of each photo. */
async function* addLists(items: AsyncGenerator<Item>, writer: ArchiveWriter): AsyncGenerator<object> {
  let next = await items.next()
  for (let part = 1; !next.done; part += 1) {
    const entries: object[] = []
    async function* describePart() {
      for (; !next.done && entries.length < PHOTOS_PER_FILE; next = await items.next()) {
        const { photo, file } = next.value
        entries.push({ id: photo.id, path: file?.path ?? null, bytes: photo.filesize, sha256: verifiedHash(photo) })
        yield describe(next.value)
      }
    }
    await writer.addFile(`photos/photos-${String(part).padStart(4, '0')}.json`, jsonList(describePart()))
    yield* entries
  }
}

/**
 * The CRC-32 of a photo's original; null without a complete one. The original is read where processing has not reached a photo
 * that was uploaded in parts; its checksum is stored at once, so that a further attempt does not read it again.
 */
async function findChecksum(deps: ExportDeps, photo: Photo): Promise<number | null> {
  if (photo.crc32 === null) return addChecksum(deps, photo)
  return (await hasOriginal(deps.store, photo)) ? Number(photo.crc32) : null
}

function toFile({ id, filename, filesize, dateTaken, createdAt }: Photo, crc32: number, path: string): ExportFile {
  const modifiedAt = dateTaken ?? createdAt.toISOString()
  return { path, key: originalKey(filename), size: filesize, crc32, modifiedAt, photoId: id }
}

/** Null while it is only what the client declared. */
function verifiedHash({ sha256, sha256Verified }: Photo): string | null {
  return sha256Verified ? sha256 : null
}

/** What Skyfolio knows of a photo. */
function describe({ photo, file, folder }: Item): object {
  return {
    id: photo.id,
    path: file?.path ?? null,
    title: photo.title,
    description: photo.description,
    originalName: photo.originalName,
    purpose: photo.purpose,
    pairedWith: photo.pairedWith,
    folderId: folder?.deleted ? null : photo.folderId,
    ownPosition: photo.ownPosition,
    isPublic: isPublic(photo, folder),
    bytes: photo.filesize,
    sha256: verifiedHash(photo),
    width: photo.width,
    height: photo.height,
    dateTaken: photo.dateTaken,
    uploadedAt: photo.createdAt.toISOString(),
    latitude: photo.latitude?.toNumber() ?? null,
    longitude: photo.longitude?.toNumber() ?? null,
    altitude: photo.altitude,
    city: photo.city,
    county: photo.county,
    state: photo.state,
    corrected: photo.corrected,
    status: photo.status,
    statusMessage: photo.statusMessage,
    metadata: photo.metadata,
    tags: photo.tags,
  }
}

/** Photos are in directories with the names of their folders. */
function createPaths(folderNames: Map<number, string>): PathOf {
  const uniqueDirectory = createUniqueNames()
  const directories = new Map<number | string, { name: string; unique: (name: string) => string }>()
  const directoryFor = (id: number | string, name: string) => {
    const known = directories.get(id)
    if (known) return known
    const directory = { name: uniqueDirectory(name), unique: createUniqueNames() }
    directories.set(id, directory)
    return directory
  }
  // First, so that no folder of the user gets these names.
  directoryFor(NO_FOLDER, NO_FOLDER)
  directoryFor(METADATA_SCREEN, METADATA_SCREEN)

  return (photo) => {
    const { folderId, purpose } = photo
    const directory =
      purpose === 'metadata'
        ? directoryFor(METADATA_SCREEN, METADATA_SCREEN)
        : folderId === null
          ? directoryFor(NO_FOLDER, NO_FOLDER)
          : directoryFor(folderId, safeFolderName(folderNames.get(folderId) ?? '', `Folder ${folderId}`))
    return `originals/${directory.name}/${directory.unique(safePhotoName(photo))}`
  }
}

/** Each has an index of its own by user and time. */
const PURPOSES = ['gallery', 'raw', 'metadata']

/** By the sums that the gallery shows, which are as true as the photos. */
async function countPhotos(tx: Transaction, userId: number): Promise<number> {
  const { _sum } = await tx.photoSum.aggregate({ where: { userId }, _sum: { photos: true } })
  return _sum.photos ?? 0
}

/** The user's photos in pages, the oldest first, after them the raw files of pairs, and those of the metadata screen at the end. */
async function* listPhotos(tx: Transaction, userId: number): AsyncGenerator<Photo[]> {
  for (const purpose of PURPOSES) {
    yield* inPages(PAGE_SIZE, (last?: Photo) =>
      tx.photo.findMany({
        where: { ...(last && after(last)), userId, purpose },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: PAGE_SIZE,
      }),
    )
  }
}

function after({ createdAt, id }: Photo): Prisma.PhotoWhereInput {
  return { createdAt: { gte: createdAt }, OR: [{ createdAt: { gt: createdAt } }, { id: { gt: id } }] }
}
