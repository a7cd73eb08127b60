import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { placePrintOrder } from '../../smoke/print-order.ts'
import { dataDir } from '../paths.ts'
import { openSignedInClient, type SignedInClient } from '../signed-in-client.ts'

interface Folder {
  id: number
  name: string
  shareCode: string
}

interface Photo {
  id: number
  previewUrl: string | null
}

interface DemoOptions {
  /** Print orders go to a stand-in, which prints nothing. */
  ordersAreFree: boolean
}

const ACCOUNT = 'demo'
const FOLDER_NAME = 'Around the world'
const DESCRIPTION = 'Pictures drawn for the demo, no photographs. Rank your three favorites.'
/** Drawn aerial pictures with the EXIF and XMP of a drone, numbered in the order of the gallery. */
const PICTURES = join(import.meta.dirname, 'pictures')
const FILES_PER_UPLOAD = 8
const SHOWN_WITHIN_MS = 120_000
/** Near most stores of the partner. */
const DULUTH = { latitude: 46.8254, longitude: -92.0332 }
const CUSTOMER = { firstName: 'Demo', lastName: 'Pilot', phone: '2185550100', email: 'demo@example.test' }
/** What is ordered: positions in the gallery, and how many prints. */
const ORDERS = [
  { position: 0, quantity: 2 },
  { position: 6, quantity: 1 },
  { position: 23, quantity: 5 },
] as const
/** The position of the photo at the top of the share page. */
const COVER = 6
const RANKS = ['first', 'second', 'third'] as const

/** What each visitor chooses: positions on the share page. Few enough that no ballot is flagged. */
const BALLOTS = [
  [0, 6, 2],
  [6, 0, 3],
  [0, 2, 16],
  [10, 0, 6],
  [2, 16, 8],
  [8, 6, 0],
] as const
const passwordFile = join(dataDir, 'demo-password')

/**
 * Creates the account "demo" with a public folder of aerial pictures, ballots and print orders, once; prints how to sign
 * in.
 */
export async function fillDemo(origin: string, options: DemoOptions): Promise<void> {
  const password = await demoPassword()
  const session = await openSignedInClient(origin, {
    username: ACCOUNT,
    password,
    firstName: 'Demo',
    lastName: 'Pilot',
  })
  const folders = (await session.call('GET', '/api/folders')) as Folder[]
  const known = folders.find(({ name }) => name === FOLDER_NAME)
  const created = known ? null : await createFolder(origin, session)
  const { shareCode = '' } = known ?? created?.folder ?? {}
  console.log(`Demo account: ${ACCOUNT}, password: ${password}\nVoting link: ${origin}/share/${shareCode}\n`)
  // The stand-in is as slow as the partner: nobody waits for it.
  if (created && options.ordersAreFree) await placeOrders(session, created.photoIds)
  if (created) await chooseCover(origin, session, created.folder)
}

async function createFolder(origin: string, session: SignedInClient): Promise<{ folder: Folder; photoIds: number[] }> {
  await session.call('PUT', '/api/user', { displayName: 'Demo Pilot' })
  const body = { name: FOLDER_NAME, description: DESCRIPTION, isPublic: true }
  const folder = (await session.call('POST', '/api/folders', body)) as Folder
  const shareUrl = `${origin}/api/share/${folder.shareCode}`
  const count = await uploadPictures(session, folder.id)
  const photoIds = (await readPhotos(shareUrl, (photos) => photos.length === count)).map(({ id }) => id)
  await castBallots(origin, folder.id, shareUrl, photoIds)
  return { folder, photoIds }
}

async function placeOrders(session: SignedInClient, photoIds: number[]): Promise<void> {
  await Promise.all(
    ORDERS.map(({ position, quantity }) => {
      const photoId = photoIds[position] ?? 0
      return placePrintOrder(session.call, { photoId, quantity, customer: CUSTOMER, ...DULUTH })
    }),
  )
}

/** Returns how many there are. The gallery shows the newest first, so that the first one is uploaded last. */
async function uploadPictures(session: SignedInClient, folderId: number): Promise<number> {
  const names = (await readdir(PICTURES))
    .filter((name) => name.endsWith('.jpg'))
    .sort()
    .reverse()
  for (let first = 0; first < names.length; first += FILES_PER_UPLOAD) {
    const form = new FormData()
    form.set('folderId', String(folderId))
    for (const name of names.slice(first, first + FILES_PER_UPLOAD)) {
      const picture = new Blob([await readFile(join(PICTURES, name))], { type: 'image/jpeg' })
      form.append('photos', picture, name.replace(/^\d+ /, ''))
    }
    await session.call('POST', '/api/upload-photos', form)
  }
  return names.length
}

/** A photo has no preview until it is processed. */
async function chooseCover(origin: string, session: SignedInClient, { id, shareCode }: Folder): Promise<void> {
  const photos = await readPhotos(`${origin}/api/share/${shareCode}`, (shown) => shown[COVER]?.previewUrl != null)
  await session.call('PUT', `/api/folders/${id}`, { coverPhotoId: photos[COVER]?.id })
}

/** The photos on a share page, the newest first, once they are as expected. */
async function readPhotos(shareUrl: string, areExpected: (photos: Photo[]) => boolean): Promise<Photo[]> {
  for (const deadline = Date.now() + SHOWN_WITHIN_MS; Date.now() < deadline; await delay(250)) {
    const response = await fetch(shareUrl)
    if (!response.ok) throw new Error(`The share page is not available: ${await response.text()}`)
    const { photos } = (await response.json()) as { photos: Photo[] }
    photos.sort((a, b) => b.id - a.id)
    if (areExpected(photos)) return photos
  }
  throw new Error('The photos do not arrive on the share page.')
}

/** Casts the ballots of a few visitors through the public API. */
async function castBallots(origin: string, folderId: number, shareUrl: string, photoIds: number[]): Promise<void> {
  for (const ballot of BALLOTS) {
    // Each loads the page, without which a ballot is flagged.
    const page = await fetch(shareUrl)
    const visitor = { fingerprint: randomUUID(), voterToken: page.headers.get('voter-token') }
    for (const [index, position] of ballot.entries()) {
      const photoId = photoIds[position]
      const rank = RANKS[index]
      if (photoId === undefined || !rank) continue
      await vote(origin, photoId, { folderId, rank, ...visitor })
    }
  }
}

async function vote(origin: string, photoId: number, ballot: object): Promise<void> {
  const response = await fetch(`${origin}/api/photos/${photoId}/rank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(ballot),
  })
  if (!response.ok) throw new Error(`A vote of the demo failed: ${await response.text()}`)
}

async function demoPassword(): Promise<string> {
  const kept = await readFile(passwordFile, 'utf8').catch(() => null)
  if (kept) return kept
  const password = randomBytes(9).toString('base64url')
  await mkdir(dataDir, { recursive: true })
  await writeFile(passwordFile, password, { mode: 0o600 })
  return password
}
