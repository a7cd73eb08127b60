import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Account, openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import type { PlacedOrder } from '../../smoke/print-order.ts'
import { seededRandom } from '../faults/random.ts'
import { createBasePhotos, createFileSource, type UploadFile } from '../faults/upload-files.ts'
import type { Acknowledged } from '../faults/upload-load.ts'
import { runVoteLoad, type VoteReport } from '../faults/vote-load.ts'
import { type SeededFolders, seedFolders } from '../load/seed-folders.ts'
import { orderPrints } from './orders.ts'

/** What was acknowledged before the backup started and is not changed afterwards. */
export interface FilledSystem extends SeededFolders {
  /** The owner of the folders. */
  account: Account
  votes: VoteReport['votes']
  pilot: Account
  uploads: Acknowledged[]
  /** The pilot's print orders. */
  orders: PlacedOrder[]
  leaver: Leaver
}

/** Somebody who deletes the account after the backup, and who the backup would bring back. */
export interface Leaver extends Account {
  userId: number
  shareCode: string
}

export interface ConcurrentLoad {
  /** Uploads, votes, changes and print orders that were acknowledged. */
  acknowledged: number
  orders: PlacedOrder[]
  errors: string[]
}

const VOTE_MS = 4_000
const UPLOAD_COUNT = 12
const ORDER_COUNT = 4

function newAccount(username: string): Account {
  return { username, password: randomBytes(12).toString('hex') }
}

/** A user who uploads and deletes photos. */
interface Uploader {
  session: SignedInClient
  next(): UploadFile
}

async function createUploader(url: string, account: Account, seed: number): Promise<Uploader> {
  const session = await openSignedInClient(url, account)
  const files = createFileSource(seededRandom(seed), await createBasePhotos(), account.username)
  const good = () => {
    for (;;) {
      const file = files.next()
      if (file.outcome === 'ready') return file
    }
  }
  return { session, next: good }
}

async function upload({ session, next }: Uploader): Promise<Acknowledged> {
  const file = next()
  const form = new FormData()
  form.append('photos', new Blob([new Uint8Array(file.bytes)], { type: 'image/jpeg' }), file.name)
  const response = (await session.call('POST', '/api/upload-photos', form)) as { files: { photoId: number }[] }
  return { userId: 0, cookie: session.cookie, photoId: response.files[0]?.photoId ?? 0, file }
}

/** Fills a system: folders of photos with votes, and a user with photos in no folder and with print orders. */
export async function fillSystem(url: string): Promise<FilledSystem> {
  const account = newAccount('owner')
  const seeding = await seedFolders(url, account, { folders: 3, photos: 8 })
  const { votes } = await runVoteLoad({ ...seeding, url, seed: 1, ms: VOTE_MS })
  const pilot = newAccount('pilot')
  const uploader = await createUploader(url, pilot, 2)
  const uploads: Acknowledged[] = []
  for (let count = 0; count < UPLOAD_COUNT; count += 1) uploads.push(await upload(uploader))
  const orders: PlacedOrder[] = []
  for (const { photoId } of uploads.slice(0, ORDER_COUNT)) orders.push(await orderPrints(uploader.session, photoId, 1))
  return { ...seeding, account, votes, pilot, uploads, orders, leaver: await createLeaver(url) }
}

/** A user with a photo in a folder that is shared. */
async function createLeaver(url: string): Promise<Leaver> {
  const account = newAccount('leaver')
  const uploader = await createUploader(url, account, 5)
  const { photoId } = await upload(uploader)
  const { call } = uploader.session
  const { id } = (await call('GET', '/api/user')) as { id: number }
  const folder = (await call('POST', '/api/folders', { name: 'Gone', isPublic: true })) as {
    id: number
    shareCode: string
  }
  await call('PATCH', `/api/photos/${photoId}/folder`, { folderId: folder.id })
  return { ...account, userId: id, shareCode: folder.shareCode }
}

/** Votes, uploads, deletes, moves and hides photos, and orders prints, until `work` is done. */
export async function runUnderLoad<T>(
  url: string,
  seeding: SeededFolders,
  work: () => Promise<T>,
): Promise<{ result: T; meanwhile: ConcurrentLoad }> {
  const meanwhile: ConcurrentLoad = { acknowledged: 0, orders: [], errors: [] }
  // The first order waits for the rendering of its image; the others are placed at once, also at the snapshot.
  const buyer = await createBuyer(url)
  meanwhile.orders.push(await buyer.order())
  let isOver = false
  const votes = (async () => {
    for (let seed = 1000; !isOver; seed += 1000) {
      const report = await runVoteLoad({ ...seeding, url, seed, ms: 1_000 })
      meanwhile.acknowledged += report.votes.filter(({ outcome }) => outcome === 'acknowledged').length + report.changes
      meanwhile.errors.push(...report.errors)
    }
  })()
  const uploads = uploadUntil(url, () => isOver, meanwhile)
  const orders = orderUntil(buyer, () => isOver, meanwhile)
  // So that the backup starts under load.
  await delay(1_000)
  const result = await work().finally(() => {
    isOver = true
  })
  await Promise.all([votes, uploads, orders])
  return { result, meanwhile }
}

/** Uploads, and deletes every third photo. */
async function uploadUntil(url: string, over: () => boolean, meanwhile: ConcurrentLoad): Promise<void> {
  const pilot = await createUploader(url, newAccount('busy-pilot'), 3)
  for (let count = 1; !over(); count += 1) {
    const { photoId } = await upload(pilot)
    if (count % 3 === 0) await pilot.session.call('DELETE', `/api/photos/${photoId}`)
    meanwhile.acknowledged += 1
  }
}

/** Then at a pace at which the buyer stays below 30 orders a minute. */
const ORDERS_AT_ONCE = 20
const ORDER_PAUSE_MS = 7_000

/** A user who orders prints of one photo, each time another number of them. */
interface Buyer {
  order(): Promise<PlacedOrder>
}

async function createBuyer(url: string): Promise<Buyer> {
  const uploader = await createUploader(url, newAccount('busy-buyer'), 4)
  const { photoId } = await upload(uploader)
  let quantity = 0
  return { order: () => orderPrints(uploader.session, photoId, ++quantity) }
}

async function orderUntil(buyer: Buyer, over: () => boolean, meanwhile: ConcurrentLoad): Promise<void> {
  while (!over()) {
    meanwhile.orders.push(await buyer.order())
    meanwhile.acknowledged += 1
    if (meanwhile.orders.length >= ORDERS_AT_ONCE) await delay(ORDER_PAUSE_MS)
  }
}
