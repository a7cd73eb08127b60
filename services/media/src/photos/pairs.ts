import { AppError } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Folder, Photo } from '../generated/client.ts'
import type { Folders } from '../projection/folders.ts'
import { lockFolders, lockPhotos } from './locks.ts'
import { isPublic, staysPrivate } from './visibility.ts'

/*
 * The JPEG and the raw file of one shot are a pair, and one photo: the JPEG. Both are rows with all that a photo has, so that
 * they are processed, exported and separated like others. The purpose of the raw file keeps it out of every list and count.
 * Whoever changes photos gets both files of a pair from `lockPhotos`, so they are always in one folder with one visibility.
 */

type VoteCheck = Pick<Folders, 'findVoted'>
type FolderOf = (id: number | null) => Folder | null

const JPEG = /\.jpg$/
const RAW = /\.(dng|tif)$/
const DAY_MS = 24 * 3600 * 1000

/** How two files are a pair: the JPEG stands for it. */
interface Pair {
  jpeg: Photo
  raw: Photo
}

/**
 * Pairs each of these photos of a user, which are locked, with another one of the user that fits, the one that was uploaded first.
 * Photos that their owner separated stay alone, and so do raw files with votes. Returns the photos in their new state.
 * @throws AppError 503 when the folders service does not say which raw files have votes
 */
export async function pairFitting(tx: Transaction, folders: VoteCheck, photos: Photo[]): Promise<Photo[]> {
  const candidates = await findCandidates(tx, photos)
  if (candidates.length === 0) return photos
  // More locks than the first, which the lock of the user's uploads allows.
  const locked = await lockPhotos(tx, [...new Set(candidates.flat())], photos[0]?.userId)
  const files = new Map(locked.map((photo) => [photo.id, photo]))
  const folderOf = await lockFolders(
    tx,
    locked.map(({ folderId }) => folderId),
  )
  /** The pair of two candidates as they are now, if they fit. */
  const fitting = ([one, other]: [number, number]) => {
    const pair = asPair(files.get(one), files.get(other))
    return pair && misfit(pair, folderOf) === null ? pair : null
  }
  const voted = await findVoted(
    folders,
    candidates.flatMap((two) => fitting(two)?.raw ?? []),
  )
  for (const two of candidates) {
    const pair = fitting(two)
    if (!pair || voted.has(pair.raw.id)) continue
    for (const photo of await join(tx, pair)) files.set(photo.id, photo)
  }
  return photos.map((photo) => files.get(photo.id) ?? photo)
}

/** Of one file; more with its name, moment and folder are not looked at. */
const MAX_CANDIDATES = 5

/** Ids of these photos, each with one that may fit, in the order in which they are to be tried. */
async function findCandidates(tx: Transaction, photos: Photo[]): Promise<[number, number][]> {
  const ids = photos.filter(({ filename }) => JPEG.test(filename) || RAW.test(filename)).map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await tx.$queryRaw<{ one: number; other: number }[]>`
    SELECT one.id AS one, other.id AS other
    FROM photos AS one CROSS JOIN LATERAL (
      SELECT id FROM photos
      WHERE user_id = one.user_id AND shot_name(original_name) = shot_name(one.original_name)
        AND coalesce(left(date_taken, 19), '') = coalesce(left(one.date_taken, 19), '')
        AND purpose = 'gallery' AND paired_with IS NULL AND NOT separated AND status = 'ready'
        AND filename ~ CASE WHEN one.filename LIKE '%.jpg' THEN ${RAW.source} ELSE ${JPEG.source} END
        AND folder_id IS NOT DISTINCT FROM one.folder_id
        AND (date_taken IS NOT NULL OR abs(extract(epoch FROM created_at - one.created_at)) <= ${DAY_MS / 1000}::int)
      ORDER BY created_at, id LIMIT ${MAX_CANDIDATES}::int) AS other
    WHERE one.id = ANY (${ids}) AND one.purpose = 'gallery' AND one.paired_with IS NULL AND NOT one.separated
      AND one.status = 'ready'
    ORDER BY one.id`
  return rows.map(({ one, other }) => [one, other])
}

/** Which of these raw files have votes. In no folder none has. */
async function findVoted(folders: VoteCheck, rawFiles: Photo[]): Promise<Set<number>> {
  const voted = new Set<number>()
  for (const [folderId, inside] of Map.groupBy(rawFiles, (raw) => raw.folderId)) {
    if (folderId === null) continue
    for (const id of await folders.findVoted(folderId, [...new Set(inside.map(({ id }) => id))])) voted.add(id)
  }
  return voted
}

function asPair(one: Photo | undefined, other: Photo | undefined): Pair | null {
  if (!one || !other) return null
  if (JPEG.test(one.filename) && RAW.test(other.filename)) return { jpeg: one, raw: other }
  if (JPEG.test(other.filename) && RAW.test(one.filename)) return { jpeg: other, raw: one }
  return null
}

/** Why two files cannot be a pair; null: they can. */
function misfit({ jpeg, raw }: Pair, folderOf: FolderOf): string | null {
  if (jpeg.pairedWith !== null || raw.pairedWith !== null)
    return 'One of the two files belongs to another pair already.'
  if (jpeg.status !== 'ready' || raw.status !== 'ready') return 'One of the two files is not ready.'
  if (shotName(jpeg.originalName) !== shotName(raw.originalName)) return 'The two files have different names.'
  if (!isSameMoment(jpeg, raw)) return 'The two files were not taken at the same moment.'
  if (jpeg.folderId !== raw.folderId) return 'The two files are in different folders.'
  const folder = folderOf(jpeg.folderId)
  const isSame =
    isPublic(jpeg, folder) === isPublic(raw, folder) && staysPrivate(jpeg, folder) === staysPrivate(raw, folder)
  return isSame ? null : 'One of the two files is private.'
}

/** A file name without the extension, as the SQL function of this name: what the files of a shot share, and a photo's first title. */
export function shotName(originalName: string): string {
  return originalName.replace(/\.[^.]*$/, '')
}

/** To the second by the camera's clock, and in one zone where both have one. */
function isSameMoment(one: Photo, other: Photo): boolean {
  if (one.dateTaken === null || other.dateTaken === null) {
    const apart = Math.abs(one.createdAt.getTime() - other.createdAt.getTime())
    return one.dateTaken === other.dateTaken && apart <= DAY_MS
  }
  const [a, b] = [readMoment(one.dateTaken), readMoment(other.dateTaken)]
  return a.second === b.second && (!a.zone || !b.zone || a.zone === b.zone)
}

function readMoment(date: string): { second: string; zone: string | undefined } {
  return { second: date.slice(0, 19), zone: /(Z|[+-]\d\d:\d\d)$/.exec(date)?.[0].replace('+00:00', 'Z') }
}

/** Makes two files a pair. The raw file gets the JPEG's own visibility setting and position in the folder, so that every change does the same to both. */
async function join(tx: Transaction, { jpeg, raw }: Pair): Promise<Photo[]> {
  const { ownIsPublic, ownVisibilityRevision, privateByChoice, ownPosition } = jpeg
  const shared = { separated: false, revision: { increment: 1 } }
  const placement = { ownIsPublic, ownVisibilityRevision, privateByChoice, ownPosition }
  const both = [
    await tx.photo.update({
      where: { id: raw.id },
      data: { ...shared, ...placement, purpose: 'raw', pairedWith: jpeg.id },
    }),
    await tx.photo.update({
      where: { id: jpeg.id },
      data: { ...shared, pairedWith: raw.id, rawName: raw.originalName },
    }),
  ]
  await publishChanged(tx, ...both)
  return both
}

/**
 * Ends the pairs of these files, which are locked; those that are alone stay as they are. `separated`: only their owner pairs
 * them again. Returns all of them in their new state.
 */
export async function endPairs(tx: Transaction, photos: Photo[], separated: boolean): Promise<Photo[]> {
  const ids = photos.filter(({ pairedWith }) => pairedWith !== null).map(({ id }) => id)
  if (ids.length === 0) return photos
  const data = { purpose: 'gallery', pairedWith: null, rawName: null, separated, revision: { increment: 1 } }
  const ended = await tx.photo.updateManyAndReturn({ where: { id: { in: ids } }, data })
  await publishChanged(tx, ...ended)
  return photos.map((photo) => ended.find(({ id }) => id === photo.id) ?? photo)
}

/**
 * Pairs a file with another one of its owner, also when it has votes or they were separated; both are locked.
 * @throws AppError 409 with the reason why they do not fit
 */
export async function pairByOwner(tx: Transaction, one: Photo, other: Photo | undefined): Promise<Photo[]> {
  if (one.pairedWith !== null && one.pairedWith === other?.id) return [one, other]
  const folderOf = await lockFolders(tx, [one.folderId])
  const pair = asPair(one, other)
  const reason = pair ? misfit(pair, folderOf) : 'A pair is a JPEG and a DNG or TIFF of yours.'
  if (!pair || reason !== null) throw new AppError(409, 'no_pair', reason ?? '')
  return join(tx, pair)
}
