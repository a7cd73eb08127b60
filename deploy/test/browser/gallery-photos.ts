import { dronePhoto, packagedPhotos, waitFor } from '@skyfolio/testkit'
import type { APIRequestContext, APIResponse } from 'playwright-core'
import sharp from 'sharp'

export interface GalleryPhoto {
  id: number
  title: string
  originalName: string
  filename: string
  url: string
  mediumUrl: string
  previewUrl: string
  folderId: number | null
  isPublic: boolean
  status: string
}

export interface Folder {
  id: number
  name: string
  shareCode: string
  covers: string[]
  photoCount: number
}

/** A beach in Duluth, of which the shared systems have streets. */
export const LAKE = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }
const CITY = { latitude: 40.758, longitude: -73.9855, takenAt: '2024:05:06 07:08:09' }

/** Uploads through the HTTP API: three photos of Duluth, six of Manhattan, one without position. */
export async function fillGallery(api: APIRequestContext): Promise<void> {
  await uploadLakePhotos(api, 3)
  for (const number of [1, 2, 3, 4, 5, 6])
    await uploadPhoto(api, `city-${number}.jpg`, await dronePhotoAt(CITY, number))
  const plain = { width: 640, height: 800, channels: 3, background: '#356' } as const
  await uploadPhoto(api, 'plain.jpg', await sharp({ create: plain }).jpeg().toBuffer())
  await waitUntilReady(api)
}

/** Uploads photos of Duluth, 'lake-1' and so on. Returns their ids. */
export async function uploadLakePhotos(api: APIRequestContext, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let number = 1; number <= count; number += 1)
    ids.push(await uploadPhoto(api, `lake-${number}.jpg`, await lakePhoto(number)))
  await waitUntilReady(api)
  return ids
}

/** A photo of Duluth. */
export const lakePhoto = (steps = 0) => dronePhotoAt(LAKE, steps)

/** A photo of a DJI drone 40 m above take-off, heading north-east, `steps` times 0.0001 degrees east of the position. */
export function dronePhotoAt(
  place: { latitude: number; longitude: number; takenAt: string },
  steps: number,
): Promise<Buffer> {
  return dronePhoto({ ...place, longitude: place.longitude + steps / 10_000 })
}

/** A photo of Duluth that shows the whole sphere. */
export async function spherePhoto(): Promise<Buffer> {
  const base = await sharp(packagedPhotos()[2]).resize(2400, 1200, { fit: 'fill' }).jpeg().toBuffer()
  return dronePhoto({ ...LAKE, base, panorama: { ProjectionType: 'equirectangular' } })
}

/** The picture of a drone's camera, 640 pixels wide: in one colour, or its quarters in four, row by row. */
export function plainPicture(...colours: number[]): Promise<Buffer> {
  const side = Math.sqrt(colours.length)
  const pixels = Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .resize(640, 480, { fit: 'fill', kernel: 'nearest' })
    .png()
    .toBuffer()
}

/** A square JPEG that hardly compresses: about 0.7 bytes a pixel. */
export function noisePhoto(edge: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  return sharp({ create: { width: edge, height: edge, channels: 3, background: '#345', noise } })
    .jpeg({ quality: 90 })
    .toBuffer()
}

/** Creates a structurally intact PNG with zeros instead of its first pixel data. */
export async function createDamagedPng(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const image = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#653', noise } })
    .png()
    .toBuffer()
  const pixels = image.indexOf('IDAT') + 4
  const bytes = image.readUInt32BE(pixels - 8)
  return image.fill(0, pixels, pixels + bytes)
}

export async function uploadPhoto(api: APIRequestContext, name: string, buffer: Buffer): Promise<number> {
  const multipart = { photo: { name, mimeType: 'image/jpeg', buffer } }
  return (await readJson<{ id: number }>(api.post('/api/upload-photo', { multipart }))).id
}

export async function listPhotos(api: APIRequestContext): Promise<GalleryPhoto[]> {
  return readJson(api.get('/api/photos'))
}

/** Finds the photo with this title. @throws Error when there is none */
export async function findPhoto(api: APIRequestContext, title: string): Promise<GalleryPhoto> {
  const found = (await listPhotos(api)).find((one) => one.title === title)
  if (!found) throw new Error(`There is no photo ${title}`)
  return found
}

/** Waits until all photos are processed. */
export async function waitUntilReady(api: APIRequestContext): Promise<void> {
  const ready = async () => (await listPhotos(api)).every(({ status }) => status === 'ready')
  await waitFor(ready, { what: 'all photos are processed', timeoutMs: 60_000 })
}

/** Makes a public folder of the photos with these titles, or of all, and waits until visitors see them. */
export async function sharePhotos(api: APIRequestContext, name: string, titles?: string[]): Promise<Folder> {
  const data = { name, description: 'Which three should go on the wall?', isPublic: true }
  const folder = await readJson<Folder>(api.post('/api/folders', { data }))
  const photos = (await listPhotos(api)).filter(({ title }) => titles?.includes(title) ?? true)
  await moveToFolder(
    api,
    photos.map(({ id }) => id),
    folder,
  )
  const shared = async () =>
    (await readJson<{ photos: object[] }>(api.get(`/api/share/${folder.shareCode}`))).photos.length === photos.length
  await waitFor(shared, { what: 'the folder shows its photos' })
  return folder
}

export async function moveToFolder(api: APIRequestContext, ids: number[], { id: folderId }: { id: number }) {
  await readJson(api.post('/api/photos/bulk', { data: { ids, action: 'move', folderId } }))
}

/** Returns the JSON of a successful response. @throws Error for any other */
export async function readJson<T>(pending: Promise<APIResponse>): Promise<T> {
  const response = await pending
  if (!response.ok()) throw new Error(`${response.url()} returned ${response.status()}: ${await response.text()}`)
  return response.json()
}
