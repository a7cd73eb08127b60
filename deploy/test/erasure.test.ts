import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deleteOldEvents, openPool } from '@skyfolio/kit'
import { dronePhoto, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetOldPositions } from '../../services/print-orders/src/catalog/stores.ts'
import { openDatabase } from '../../services/print-orders/src/database.ts'
import { databases } from '../components.ts'
import { type LaunchedSystem, launchSystem } from '../local/launch.ts'
import type { RuntimeState } from '../local/runtime-file.ts'
import { openSignedInClient, type SignedInClient } from '../local/signed-in-client.ts'
import {
  filesIn,
  findNeedles,
  hashNeedle,
  keysOf,
  openStreams,
  rowsNaming,
  rowsOf,
  type StoredItem,
  textNeedle,
} from './stored-data.ts'

// A whole system starts, and a user goes: steps of one story, in their order.

const PASSWORD = 'over-the-quarry'
const ACCOUNT = {
  username: 'zephyrine-q',
  email: 'zephyrine@quill.test',
  firstName: 'Zephyrine',
  lastName: 'Quillfeather',
  password: PASSWORD,
}
const DISPLAY_NAME = 'Zephyr of the Quarry'
const CUSTOMER = { firstName: 'Xanthippa', lastName: 'Zyzzyvason', email: 'xz@vellum.test', phone: '2185550173' }
// One in Duluth, one in a village whose name no other photo has.
const PLACES = [
  { latitude: 46.8423971, longitude: -91.9945683 },
  { latitude: 47.9032187, longitude: -91.8671139 },
]
const NAMES = ['heron-over-quarry.jpg', 'loon-at-sunrise.jpg']
const TITLES = ['Heron Promontory', 'Loon Cathedral']
const DESCRIPTION = 'Where Ottoline proposed'
const FOLDER = 'Marmalade Expedition'
const DULUTH = { latitude: '46.8254', longitude: '-92.0332' }

let dataDir: string
let system: LaunchedSystem
let env: Record<string, Record<string, string>>
let sandbox: RuntimeState['partnerSandbox']
const pools = new Map<string, ReturnType<typeof openPool>>()
let streams: Awaited<ReturnType<typeof openStreams>>

let owner: SignedInClient
let other: SignedInClient
let userId: number
let otherPhoto: number
const files: { name: string; bytes: Buffer }[] = []
const secrets: string[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-erasure-'))
  system = await launchSystem(dataDir, { ACCOUNT_DELETION_DAYS: '0', LOG_LEVEL: 'warn' })
  const state = await system.state()
  env = state.env
  sandbox = state.partnerSandbox
  for (const name of databases()) pools.set(name, openPool(env[name]?.DATABASE_URL ?? '', { max: 2 }))
  streams = await openStreams(env.media?.NATS_URL ?? '')
})

afterAll(async () => {
  await streams?.close()
  for (const pool of pools.values()) await pool.end()
  await system?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const sql = (service: string, text: string, values: unknown[] = []) => {
  const pool = pools.get(service)
  if (!pool) throw new Error(`no database ${service}`)
  return pool.query(text, values)
}

async function upload(client: SignedInClient, name: string, bytes: Buffer, fields: Record<string, string> = {}) {
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('photo', new Blob([new Uint8Array(bytes)]), name)
  const { id } = (await client.call('POST', '/api/upload-photo', body)) as { id: number }
  await waitFor(
    async () => (await sql('media', "SELECT FROM photos WHERE id = $1 AND status = 'ready'", [id])).rowCount,
    {
      what: `${name} is processed`,
      timeoutMs: 90_000,
    },
  )
  return id
}

/** A visitor's vote, without an account. */
async function vote(photoId: number, folderId: number): Promise<void> {
  const send = async () => {
    const response = await fetch(`${system.url}/api/photos/${photoId}/rank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: system.url },
      body: JSON.stringify({ folderId, rank: 'first', fingerprint: randomUUID() }),
    })
    return response.ok
  }
  await waitFor(send, { what: 'the vote is counted' })
}

/** Orders a print of a photo as the wizard does. Returns the partner's number. */
async function order(photoId: number): Promise<string> {
  type Product = { productId: string; productSize: string; productPrice: string }
  type Store = { photoStoreDetails: { storeNum: string; promiseTime: string } }
  const post = <T>(path: string, body: object) => owner.call('POST', `/api/walgreens/${path}`, body) as Promise<T>
  const { products } = await post<{ products: Product[] }>('products', { productGroupId: 'STDPR' })
  const { productId, productPrice } = products.find(({ productSize }) => productSize === '4x6') as Product
  const details = { ...DULUTH, productDetails: [{ productId, qty: 1 }] }
  const { photoStores } = await post<{ photoStores: Store[] }>('store-search', details)
  const { storeNum, promiseTime } = (photoStores[0] as Store).photoStoreDetails
  const isReady = async () => {
    const { images } = await post<{ images: { status: string }[] }>('prepare-images', {
      images: [{ photoId, productId }],
    })
    return images.every(({ status }) => status === 'ready')
  }
  await waitFor(isReady, { what: 'the print image is rendered', timeoutMs: 60_000 })
  const total = Number(productPrice).toFixed(2)
  const productDetails = [{ productId, productPrice, imageDetails: [{ photoId, qty: 1 }] }]
  const amounts = { orderTotal: total, subtotal: total, termsAccepted: true }
  const placed = { ...CUSTOMER, storeNum, promiseTime, productDetails, ...amounts }
  const { vendorOrderId } = await post<{ vendorOrderId: string }>('submit-order', placed)
  return vendorOrderId
}

/** An export is ready; its id is in the paths of its objects. */
async function exportAll(): Promise<void> {
  await owner.call('POST', '/api/user/export', {})
  const isReady = async () => {
    const { status, url } = (await owner.call('GET', '/api/user/export')) as { status: string; url: string }
    if (status === 'ready') secrets.push(url.slice(url.lastIndexOf('/') + 1))
    return status === 'ready'
  }
  await waitFor(isReady, { what: 'the export is ready', timeoutMs: 60_000 })
}

function everything(): AsyncIterable<StoredItem>[] {
  const databaseRows = [...pools].map(([name, pool]) => rowsOf(pool, name))
  const objects = filesIn(join(env.media?.OBJECT_STORE_DIR ?? ''), 'objects')
  return [...databaseRows, objects, keysOf(env.gateway?.REDIS_URL ?? ''), streams.messages()]
}

const needles = () => [
  ...[ACCOUNT.username, ACCOUNT.email, ACCOUNT.firstName, ACCOUNT.lastName].map(textNeedle),
  ...Object.values(CUSTOMER).map(textNeedle),
  ...[...NAMES, ...TITLES, DESCRIPTION, FOLDER, DISPLAY_NAME].map(textNeedle),
  ...PLACES.flatMap(({ latitude, longitude }) => [textNeedle(`${latitude}`), textNeedle(`${longitude}`)]),
  ...secrets.map(textNeedle),
  ...files.map(({ name, bytes }) => hashNeedle(name, bytes)),
]

test('a user has photos with positions, a folder with votes, an order, an export and mails', async () => {
  owner = await openSignedInClient(system.url, ACCOUNT)
  other = await openSignedInClient(system.url, { username: 'bystander', password: PASSWORD })
  userId = ((await owner.call('GET', '/api/user')) as { id: number }).id
  for (const [index, name] of NAMES.entries()) {
    const bytes = await dronePhoto({ ...(PLACES[index] as (typeof PLACES)[0]), make: 'DJI', model: 'FC300S' })
    files.push({ name, bytes })
  }
  const [first, second] = files as [(typeof files)[0], (typeof files)[0]]
  otherPhoto = await upload(other, 'other.jpg', await dronePhoto({ latitude: 1.5, longitude: 2.5 }))
  const folder = (await owner.call('POST', '/api/folders', { name: FOLDER, isPublic: true })) as {
    id: number
    shareCode: string
  }
  secrets.push(folder.shareCode)
  const photoId = await upload(owner, first.name, first.bytes, { folderId: String(folder.id) })
  const secondId = await upload(owner, second.name, second.bytes)
  await upload(owner, first.name, first.bytes, { metadata: 'true' })
  await owner.call('PATCH', `/api/photos/${photoId}`, { title: TITLES[0], description: DESCRIPTION })
  await owner.call('PATCH', `/api/photos/${secondId}`, { title: TITLES[1] })
  const places = await sql('media', 'SELECT county FROM photos WHERE id = $1', [secondId])
  secrets.push(...places.rows.flatMap(({ county }) => county ?? []))
  await vote(photoId, folder.id)
  await owner.call('PUT', '/api/user', { displayName: DISPLAY_NAME })
  await owner.call('PUT', '/api/walgreens/customer', CUSTOMER)
  await order(secondId)
  await exportAll()
  await waitFor(async () => (await sql('auth', 'SELECT FROM mails WHERE user_id = $1', [userId])).rowCount, {
    what: 'a mail was written',
  })
  const found = await findNeedles(needles(), ...everything())
  const without = needles().filter(({ name }) => !found.some((place) => place.startsWith(`${name} in`)))
  expect(
    without.map(({ name }) => name),
    'the search finds each of them before',
  ).toEqual([])
  for (const server of ['postgres', 'objects', 'redis', 'nats']) {
    expect(
      found.filter((place) => place.includes(` in ${server} `)),
      server,
    ).not.toEqual([])
  }
})

test('the deletion waits for the order and then every service confirms', async () => {
  await owner.call('DELETE', '/api/user', { password: PASSWORD })
  await expect(owner.call('GET', '/api/photos')).rejects.toThrow(/ 40[13]: /)
  // Time at the store passes, until it prints: from then on it needs the images no more.
  const isErased = async () => {
    await fetch(`${sandbox?.controlUrl}/clock`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox?.controlKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ toNextStep: true }),
    })
    await sql('print-orders', 'UPDATE walgreens_orders SET next_check_at = now() WHERE next_check_at > now()')
    return (await sql('auth', 'SELECT FROM account_deletions WHERE user_id = $1 AND erased_at IS NOT NULL', [userId]))
      .rowCount
  }
  await waitFor(isErased, { what: 'the user is erased', timeoutMs: 90_000 })
})

test('when the stated times have passed, nothing of the user is in a database, the object store, Redis or a stream', async () => {
  for (const [name, pool] of pools) {
    const unpublished = async () => (await pool.query('SELECT FROM outbox WHERE published_at IS NULL')).rowCount === 0
    await waitFor(unpublished, { what: `${name} has published its events` })
    await pool.query("UPDATE outbox SET published_at = published_at - interval '8 days'")
    await deleteOldEvents(pool)
  }
  await sql('print-orders', "UPDATE store_positions SET searched_at = searched_at - interval '25 hours'")
  await forgetOldPositions(openDatabase(pools.get('print-orders') as ReturnType<typeof openPool>))
  await streams.expire()
  await waitFor(async () => (await streams.count()) === 0, { what: 'the events have expired' })
  expect(await findNeedles(needles(), ...everything())).toEqual([])
})

test('what remains are ids: tombstones, the deletion with its confirmations, the audit log and the ledger', async () => {
  const remaining: Record<string, number> = {}
  for (const [name, pool] of pools) Object.assign(remaining, await rowsNaming(pool, name, userId))
  expect(remaining).toEqual({
    // That the account was deleted, and what each service confirmed.
    'auth.account_deletions.user_id': 1,
    'auth.audit_log.owner_id': 1,
    'auth.service_erasures.user_id': 3,
    // Tombstones, so that nothing late brings anything back: of the user, ...
    'folders.erasures.user_id': 1,
    'folders.users.id': 1,
    'media.deleted_users.user_id': 1,
    'media.erased_orders.user_id': 1,
    'media.erasures.user_id': 1,
    'media.users.id': 1,
    'print-orders.deleted_users.user_id': 1,
    'print-orders.erasures.user_id': 1,
    // ... of the folder, and of the two photos of the gallery.
    'folders.deleted_folders.user_id': 1,
    'folders.photos.user_id': 2,
    'media.folders.user_id': 1,
    'print-orders.photos.user_id': 2,
  })
  const objects: string[] = []
  for await (const { where } of filesIn(join(env.media?.OBJECT_STORE_DIR ?? '', 'objects'), 'object'))
    objects.push(where)
  expect(objects.filter((where) => /(deletions|exports)\//.test(where))).toEqual([`object deletions/${userId}.json`])
})

test('others keep everything', async () => {
  const photos = (await other.call('GET', '/api/photos')) as { id: number }[]
  expect(photos.map(({ id }) => id)).toEqual([otherPhoto])
  const shown = await sql('folders', 'SELECT FROM photos WHERE id = $1 AND NOT deleted', [otherPhoto])
  expect(shown.rowCount).toBe(1)
})
