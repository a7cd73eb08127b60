import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import sharp from 'sharp'
import { type Client, jsonOf, type User } from './client.ts'

/** A photo as its owner sees it. */
export interface OwnPhoto {
  id: number
  title: string
  filename: string
  url: string
  thumbnailUrl: string | null
  previewUrl: string | null
  status: string
}

/** A photo as visitors see it, with public names. */
export interface PublicPhoto {
  id: number
  url: string
  smallUrl: string | null
  thumbnailUrl: string | null
  mediumUrl: string | null
  previewUrl: string | null
}

export interface OwnFolder {
  id: number
  name: string
  shareCode: string
}

/** The user whose data the attacks are after. */
export interface Owner extends User {
  publicFolder: OwnFolder
  publicPhotos: number[]
  privateFolder: OwnFolder
  privatePhoto: OwnPhoto
}

const PHOTOS = 8
const PROCESSED_WITHIN_MS = 120_000

/** Fills the account: a public folder, and a private one, whose every text contains the marker. */
export async function prepareOwner(marker: string, user: User): Promise<Owner> {
  const { client } = user
  const privateFolder = await createFolder(client, `Private ${marker}`, false)
  const { id } = await upload(client, { file: await makePhoto(), name: `${marker}.jpg`, folderId: privateFolder.id })
  jsonOf(await client.send('PATCH', `/api/photos/${id}`, { json: { description: `Seen by nobody, ${marker}` } }))
  jsonOf(await client.send('PUT', '/api/user', { json: { firstName: marker, email: `${marker}@example.com` } }))
  const { folder, own } = await sharePhotos(client, {
    name: 'The best of the morning',
    files: await makePhotos(PHOTOS),
  })
  const [privatePhoto] = (await untilProcessed(client, [id])) as [OwnPhoto]
  return { ...user, publicFolder: folder, publicPhotos: own.map((photo) => photo.id), privateFolder, privatePhoto }
}

interface Shared {
  folder: OwnFolder
  own: OwnPhoto[]
  shown: PublicPhoto[]
}

/** Uploads photos into a new public folder, and waits until its page shows their pictures. */
export async function sharePhotos(client: Client, { name, files }: { name: string; files: Buffer[] }): Promise<Shared> {
  const folder = await createFolder(client, name, true)
  const ids: number[] = []
  for (const [index, file] of files.entries()) {
    ids.push((await upload(client, { file, name: `shot-${index}.jpg`, folderId: folder.id })).id)
  }
  return { folder, own: await untilProcessed(client, ids), shown: await untilShown(client, folder.shareCode, ids) }
}

export async function createFolder(client: Client, name: string, isPublic: boolean): Promise<OwnFolder> {
  return jsonOf(await client.send('POST', '/api/folders', { json: { name, isPublic } }))
}

/** A photo that no other run has uploaded. */
export async function makePhoto(): Promise<Buffer> {
  const [base] = packagedPhotos()
  const seed = randomBytes(3)
  const image = await sharp(base)
    .resize(1200, 900)
    .composite([{ input: Buffer.from([...seed]), raw: { width: 1, height: 1, channels: 3 }, left: 5, top: 5 }])
    .jpeg()
    .toBuffer()
  const shot = { latitude: 46 + Math.random(), longitude: -92 + Math.random() }
  return dronePhoto({ base: image, ...shot, altitude: (seed[0] ?? 0) + 100 })
}

export function makePhotos(count: number): Promise<Buffer[]> {
  return Promise.all(Array.from({ length: count }, makePhoto))
}

async function upload(
  client: Client,
  { file, name, folderId }: { file: Buffer; name: string; folderId?: number },
): Promise<OwnPhoto> {
  const form = new FormData()
  if (folderId) form.set('folderId', String(folderId))
  form.append('photo', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), name)
  return jsonOf(await client.send('POST', '/api/upload-photo', { form, timeoutMs: 60_000 }))
}

/** Resolves with these photos when all are ready or have failed. */
async function untilProcessed(client: Client, ids: number[]): Promise<OwnPhoto[]> {
  for (const deadline = Date.now() + PROCESSED_WITHIN_MS; Date.now() < deadline; await delay(250)) {
    const all = jsonOf<OwnPhoto[]>(await client.send('GET', `/api/photos?ids=${ids}`))
    if (all.length >= ids.length && all.every(({ status }) => status !== 'processing')) return all
  }
  throw new Error(`the photos ${ids} were not processed within ${PROCESSED_WITHIN_MS / 1000} s`)
}

/** Reads the photos of a share page. */
export async function readShare(client: Client, code: string): Promise<PublicPhoto[]> {
  return jsonOf<{ photos: PublicPhoto[] }>(await client.send('GET', `/api/share/${code}`)).photos
}

/** The projection of folders follows after the processing. */
async function untilShown(client: Client, code: string, { length }: number[]): Promise<PublicPhoto[]> {
  for (const deadline = Date.now() + PROCESSED_WITHIN_MS; Date.now() < deadline; await delay(100)) {
    const photos = await readShare(client, code)
    if (photos.length === length && photos.every(({ previewUrl }) => previewUrl)) return photos
  }
  throw new Error('the share page does not show its pictures')
}
