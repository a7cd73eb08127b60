import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  type CheckPrintImagesRequest,
  type PreparePrintImagesRequest,
  type PrintImageSchema,
  PrintImageStatus,
} from '@skyfolio/proto'
import type { Database } from '../database.ts'
import { isErased, lockForAdding } from '../erasure/tombstone.ts'
import type { PrintImage } from '../generated/client.ts'
import type { Enqueue } from '../jobs/queues.ts'
import type { PrintImageNames } from './names.ts'
import { createRows, expiresSoon, extendSoonExpiring, findBySpecification, readRoom, renderAgain } from './rows.ts'
import { readSpecification, type Specification } from './specification.ts'

export interface PrintImagesDeps {
  db: Database
  printImageNames: PrintImageNames
  enqueue: Enqueue
}

const MAX_IMAGES = 500
const PHOTO_FAILED = 'This photo could not be processed and cannot be printed.'

/**
 * The states of the requested print images; rows of missing ones are created and rendered in the background. A repeated
 * request only reads.
 */
export async function preparePrintImages(
  deps: PrintImagesDeps,
  { userId, images }: PreparePrintImagesRequest,
): Promise<{ images: PrintImageMessage[] }> {
  if (images.length > MAX_IMAGES) throw new Error(`a request for ${images.length} print images`)
  const photoIds = images.map(({ photoId }) => photoId)
  const photos = await findPhotos(deps.db, userId, photoIds)
  const requested = images.map((image) => {
    const photo = photos.get(image.photoId)
    if (!photo) return NOT_FOUND
    if (photo.status === 'failed') return failed(PHOTO_FAILED)
    const specification = readSpecification(image)
    return typeof specification === 'string' ? failed(specification) : specification
  })
  const rows = await ensureRows(deps, userId, requested.filter(isSpecification))
  const messageOf = ({ specification }: Specification) => {
    const row = rows.get(specification)
    return row ? toMessage(row, deps.printImageNames) : failed(TOO_MANY_PRINTS)
  }
  return { images: requested.map((one) => (isSpecification(one) ? messageOf(one) : one)) }
}

function isSpecification(one: Specification | PrintImageMessage): one is Specification {
  return 'specification' in one
}

/** The user's photos of the gallery; those of the metadata screen and of erased users are not printed. */
async function findPhotos(db: Database, userId: number, ids: number[]) {
  if (await isErased(db, userId)) return new Map<number, { status: string }>()
  const where = { id: { in: [...new Set(ids)] }, userId, purpose: 'gallery' }
  const photos = await db.photo.findMany({ where, select: { id: true, status: true } })
  return new Map(photos.map((photo) => [photo.id, photo]))
}

/** The rows of these specifications, by key; those beyond the user's limit have none. */
async function ensureRows(
  deps: PrintImagesDeps,
  userId: number,
  requested: Specification[],
): Promise<Map<string, PrintImage>> {
  const specifications = new Map(requested.map((one) => [one.specification, one]))
  const keys = [...specifications.keys()]
  const found = await findBySpecification(deps.db, userId, keys)
  const isUnchanged = found.length === keys.length && !found.some(needsChange)
  const rows = isUnchanged ? found : await changeRows(deps, userId, specifications)
  return new Map(rows.map((row) => [row.specification, row]))
}

function needsChange(row: PrintImage): boolean {
  if (row.status === 'failed') return row.expiresAt.getTime() < Date.now()
  return row.status === 'ready' && expiresSoon(row)
}

/** Creates missing rows, extends those that expire soon, and renders again what failed a while ago. */
async function changeRows(
  deps: PrintImagesDeps,
  userId: number,
  specifications: Map<string, Specification>,
): Promise<PrintImage[]> {
  const { db } = deps
  const { kept, waiting } = await db.$transaction(async (tx) => {
    await lockForAdding(tx, 'printImages', userId)
    const found = await findBySpecification(tx, userId, [...specifications.keys()])
    const stale = found.filter((row) => row.status === 'failed' && needsChange(row))
    const others = found.filter((row) => !stale.includes(row))
    const kept = await extendSoonExpiring(tx, others)
    const waiting: PrintImage[] = []
    for (const row of stale) waiting.push(await renderAgain(tx, row))
    const known = new Set([...kept, ...waiting].map(({ specification }) => specification))
    const missing = [...specifications.values()].filter(({ specification }) => !known.has(specification))
    const room = missing.length > 0 ? await readRoom(tx, userId) : 0
    if (room > 0) waiting.push(...(await createRows(tx, userId, missing.slice(0, room))))
    return { kept, waiting }
  })
  deps.enqueue('print-images', waiting)
  return [...kept, ...waiting]
}

const MAX_NAMES = 500

/** Which file names are valid and of images of this user. An image that an order could outlive gets a new name. */
export async function checkPrintImages(
  { db, printImageNames: names }: PrintImagesDeps,
  { userId, filenames }: CheckPrintImagesRequest,
): Promise<{ images: PrintImageMessage[] }> {
  if (filenames.length > MAX_NAMES) throw new Error(`a request for ${filenames.length} print images`)
  const ids = filenames.map((filename) => names.verify(filename)?.id)
  const known = [...new Set(ids)].filter((id) => id !== undefined)
  const found = await db.printImage.findMany({ where: { id: { in: known }, userId, status: 'ready' } })
  const live = await extendSoonExpiring(db, found)
  const messages = new Map(live.map((image) => [image.id, toMessage(image, names)]))
  return { images: ids.map((id) => (id === undefined ? undefined : messages.get(id)) ?? NOT_FOUND) }
}

/** One image in a response over NATS. */
type PrintImageMessage = MessageInitShape<typeof PrintImageSchema>

const NOT_FOUND: PrintImageMessage = { status: PrintImageStatus.NOT_FOUND }

export const TOO_MANY_PRINTS =
  'You have prepared too many prints. Please try again in a few days, when some have expired.'

function failed(message: string): PrintImageMessage {
  return { status: PrintImageStatus.FAILED, message }
}

function toMessage(image: PrintImage, names: PrintImageNames): PrintImageMessage {
  if (image.status === 'failed') return failed(image.statusMessage ?? '')
  if (image.status !== 'ready') return { status: PrintImageStatus.RENDERING }
  return {
    status: PrintImageStatus.READY,
    filename: names.sign(image.id, image.expiresAt),
    expiresAt: timestampFromDate(image.expiresAt),
    width: image.width ?? undefined,
    height: image.height ?? undefined,
    sourceWidth: image.sourceWidth ?? undefined,
    sourceHeight: image.sourceHeight ?? undefined,
  }
}
