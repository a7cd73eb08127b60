import { createFairQueue } from '@skyfolio/kit'
import { createUniqueNames, safeFileName, safeFolderName } from '../archives/safe-names.ts'
import { type Database, inPages, type Transaction } from '../database.ts'
import { hasOriginal, originalKey } from '../files/object-keys.ts'
import { withTrueExtension } from '../files/responses.ts'
import type { Folder, Photo, Prisma } from '../generated/client.ts'
import { addChecksum } from '../photos/add-checksum.ts'
import { isPublic } from '../photos/visibility.ts'
import { loadFoldersOf } from '../projection/folders.ts'
import { type ArchiveWriter, type ExportFile, jsonList } from './archive-writer.ts'
import { type ExportDeps, type StartedExport, saveProgress } from './export-rows.ts'

const PAGE_SIZE = 200
const PHOTOS_PER_FILE = 1000
const CHECKED_AT_ONCE = 16
/** The snapshot stays open while its pages are written to the store. */
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
  await inSnapshot(deps.db, async (tx) => {
    row.progress.photos = await countPhotos(tx, row.userId)
    row.progress.listed = 0
    const items = addOriginals(tx, deps, row, writer, createPaths(folderNames))
    await writer.addFile('manifest.json', jsonList(addLists(items, writer)))
  })
  await saveProgress(deps.db, row)
}

/** Adds the originals to the archive, a page of photos at a time, and yields the photos. */
async function* addOriginals(
  tx: Transaction,
  { store, signal }: ExportDeps,
  row: StartedExport,
  writer: ArchiveWriter,
  pathOf: PathOf,
): AsyncGenerator<Item> {
  const limit = createFairQueue({ total: CHECKED_AT_ONCE })
  for await (const photos of listPhotos(tx, row.userId)) {
    signal.throwIfAborted()
    const folders = await loadFoldersOf(tx, photos)
    const complete = await Promise.all(photos.map((photo) => limit.run({}, () => hasOriginal(store, photo))))
    const items = photos.map((photo, index): Item => {
      const file = complete[index] && photo.crc32 !== null ? toFile(photo, photo.crc32, pathOf(photo)) : null
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

function toFile(photo: Photo, crc32: bigint, path: string): ExportFile {
  const { id, filename, filesize, createdAt } = photo
  return {
    path,
    key: originalKey(filename),
    size: filesize,
    crc32: Number(crc32),
    modifiedAt: createdAt,
    photoId: id,
  }
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
    folderId: folder?.deleted ? null : photo.folderId,
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
    const { id, filename, originalName, folderId, purpose } = photo
    const directory =
      purpose === 'metadata'
        ? directoryFor(METADATA_SCREEN, METADATA_SCREEN)
        : folderId === null
          ? directoryFor(NO_FOLDER, NO_FOLDER)
          : directoryFor(folderId, safeFolderName(folderNames.get(folderId) ?? '', `Folder ${folderId}`))
    const fallback = withTrueExtension(filename, `photo-${id}`)
    const name = safeFileName(originalName === '' ? fallback : withTrueExtension(filename, originalName), fallback)
    return `originals/${directory.name}/${directory.unique(name)}`
  }
}

/** Runs `work` on the data of one moment. */
function inSnapshot(db: Database, work: (tx: Transaction) => Promise<void>): Promise<void> {
  return db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL idle_in_transaction_session_timeout = '5min'`
      await work(tx)
    },
    { isolationLevel: 'RepeatableRead', timeout: SNAPSHOT_MS },
  )
}

/** Each has an index of its own by user and time. */
const PURPOSES = ['gallery', 'metadata']

/** Counts the user's photos that match. */
async function countPhotos(
  tx: Database | Transaction,
  userId: number,
  matching: Prisma.PhotoWhereInput = {},
): Promise<number> {
  let count = 0
  for (const purpose of PURPOSES) count += await tx.photo.count({ where: { ...matching, userId, purpose } })
  return count
}

/** The user's photos that match in pages, the oldest first, those of the metadata screen at the end. */
async function* listPhotos(
  tx: Database | Transaction,
  userId: number,
  matching: Prisma.PhotoWhereInput = {},
): AsyncGenerator<Photo[]> {
  for (const purpose of PURPOSES) {
    yield* inPages(PAGE_SIZE, (last?: Photo) =>
      tx.photo.findMany({
        where: { AND: [matching, last ? after(last) : {}], userId, purpose },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: PAGE_SIZE,
      }),
    )
  }
}

function after({ createdAt, id }: Photo): Prisma.PhotoWhereInput {
  return { createdAt: { gte: createdAt }, OR: [{ createdAt: { gt: createdAt } }, { id: { gt: id } }] }
}

const UNCHECKED = { crc32: null }
const SAVE_MS = 1_000

/**
 * Reads the originals of the user's photos that have no checksum yet: those that were uploaded in parts and that processing has not
 * reached. Each checksum is stored at once, so that none is read twice.
 */
export async function addChecksums(deps: ExportDeps, row: StartedExport): Promise<void> {
  const { db, signal } = deps
  const { progress } = row
  progress.unchecked ??= await countPhotos(db, row.userId, UNCHECKED)
  let savedAt = 0
  for await (const photos of listPhotos(db, row.userId, UNCHECKED)) {
    for (const photo of photos) {
      signal.throwIfAborted()
      if (await addChecksum(deps, photo)) {
        progress.checked = Math.min((progress.checked ?? 0) + 1, progress.unchecked)
      }
      if (Date.now() - savedAt < SAVE_MS) continue
      savedAt = Date.now()
      await saveProgress(db, row)
    }
  }
  progress.checked = progress.unchecked
}
