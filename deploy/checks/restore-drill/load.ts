import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Account, openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { type PlacedOrder, placePrintOrder } from '../../smoke/print-order.ts'
import { sha256Of } from '../declared-file.ts'
import type { Acknowledged } from '../faults/upload-load.ts'
import { runVoteLoad, type VoteReport } from '../faults/vote-load.ts'
import { generatePhotos, type SeededFolders, seedFolders } from '../load/seed-folders.ts'

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
const PHOTO = { width: 1536, height: 1024 }
const DULUTH = { latitude: 46.7867, longitude: -92.1005 }

function newAccount(username: string): Account {
  return { username, password: randomBytes(12).toString('hex') }
}

interface Uploader {
  session: SignedInClient
  upload(): Promise<Acknowledged>
}

async function createUploader(url: string, account: Account): Promise<Uploader> {
  const session = await openSignedInClient(url, account)
  const photos = generatePhotos(PHOTO)
  async function upload(): Promise<Acknowledged> {
    const { value } = await photos.next()
    const bytes = Buffer.from(value)
    const form = new FormData()
    form.append('photos', new Blob([value], { type: 'image/jpeg' }), 'photo.jpg')
    const { files } = (await session.call('POST', '/api/upload-photos', form)) as { files: { photoId: number }[] }
    const file = { name: 'photo.jpg', bytes, sha256: sha256Of(bytes), outcome: 'ready' } as const
    return { userId: 0, cookie: session.cookie, photoId: files[0]?.photoId ?? 0, file }
  }
  return { session, upload }
}

/** Orders prints of a photo from the partner's sandbox. */
export function orderPrints(session: SignedInClient, photoId: number, quantity: number): Promise<PlacedOrder> {
  return placePrintOrder(session.call, { photoId, quantity, ...DULUTH })
}

export async function createSharedFolder({ call }: SignedInClient, photoId: number, name: string): Promise<string> {
  const folder = (await call('POST', '/api/folders', { name, isPublic: true })) as { id: number; shareCode: string }
  await call('PATCH', `/api/photos/${photoId}/folder`, { folderId: folder.id })
  return folder.shareCode
}

/** Fills a system: folders of photos with votes, and a user with photos in no folder and with print orders. */
export async function fillSystem(url: string): Promise<FilledSystem> {
  const account = newAccount('owner')
  const seeding = await seedFolders(url, account, { folders: 3, photos: 8 })
  const { votes } = await runVoteLoad({ ...seeding, url, seed: 1, ms: VOTE_MS })
  const pilot = newAccount('pilot')
  const { session, upload } = await createUploader(url, pilot)
  const uploads: Acknowledged[] = []
  for (let count = 0; count < UPLOAD_COUNT; count += 1) uploads.push(await upload())
  const orders: PlacedOrder[] = []
  for (const { photoId } of uploads.slice(0, ORDER_COUNT)) orders.push(await orderPrints(session, photoId, 1))
  return { ...seeding, account, votes, pilot, uploads, orders, leaver: await createLeaver(url) }
}

/** A user with a photo in a folder that is shared. */
async function createLeaver(url: string): Promise<Leaver> {
  const account = newAccount('leaver')
  const { session, upload } = await createUploader(url, account)
  const { photoId } = await upload()
  const { id } = (await session.call('GET', '/api/user')) as { id: number }
  return { ...account, userId: id, shareCode: await createSharedFolder(session, photoId, 'Gone') }
}

/** Then at a pace at which the buyer stays below 30 orders a minute. */
const ORDERS_AT_ONCE = 20
const ORDER_PAUSE_MS = 7_000

/** Votes, uploads, deletes, moves and hides photos, and orders prints, until `work` is done. */
export async function runUnderLoad<T>(
  url: string,
  seeding: SeededFolders,
  work: () => Promise<T>,
): Promise<{ result: T; meanwhile: ConcurrentLoad }> {
  const meanwhile: ConcurrentLoad = { acknowledged: 0, orders: [], errors: [] }
  const pilot = await createUploader(url, newAccount('busy-pilot'))
  const buyer = await createUploader(url, newAccount('busy-buyer'))
  const printed = await buyer.upload()
  let isOver = false

  async function vote(turn: number): Promise<number> {
    const { votes, changes, errors } = await runVoteLoad({ ...seeding, url, seed: 1000 * turn, ms: 1_000 })
    meanwhile.errors.push(...errors)
    return votes.filter(({ outcome }) => outcome === 'acknowledged').length + changes
  }
  /** Deletes every third photo. */
  async function upload(turn: number): Promise<number> {
    const { photoId } = await pilot.upload()
    if (turn % 3 === 0) await pilot.session.call('DELETE', `/api/photos/${photoId}`)
    return 1
  }
  /** Each is for another number of prints. */
  async function order(): Promise<number> {
    const count = meanwhile.orders.push(await orderPrints(buyer.session, printed.photoId, meanwhile.orders.length + 1))
    if (count >= ORDERS_AT_ONCE) await delay(ORDER_PAUSE_MS)
    return 1
  }
  async function repeat(step: (turn: number) => Promise<number>): Promise<void> {
    for (let turn = 1; !isOver; turn += 1) {
      const acknowledged = await step(turn)
      meanwhile.acknowledged += acknowledged
    }
  }

  // It waits for the rendering of its image; the others are placed at once, also at the snapshot.
  await order()
  const loads = Promise.all([vote, upload, order].map(repeat))
  // So that the backup starts under load.
  await delay(1_000)
  const result = await work().finally(() => {
    isOver = true
  })
  await loads
  return { result, meanwhile }
}
