import { setTimeout as delay } from 'node:timers/promises'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import sharp from 'sharp'
import { type Account, openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { concatenate, withComment } from './multipart.ts'

/** A public folder created for a check. */
export interface SeededFolder {
  id: number
  code: string
  photos: number[]
}

export interface SeededFolders {
  owner: SignedInClient
  folders: SeededFolder[]
}

/** What visitors get of a photo, and the owner with other names. */
export interface ListedPhoto {
  id: number
  url: string
  smallUrl: string | null
  thumbnailUrl: string | null
  mediumUrl: string | null
  previewUrl: string | null
}

interface Size {
  folders: number
  /** In each folder. */
  photos: number
  /** Resolves only when the worker has rendered all of them. */
  areRendered?: boolean
}

type Files = AsyncGenerator<Uint8Array<ArrayBuffer>>

const MAX_FILES_PER_UPLOAD = 10
const SMALL = { width: 480, height: 360 }
const SHOWN_TIMEOUT_MS = 60_000
const RENDERED_TIMEOUT_MS = 240_000

/** Generates unique photos with positions and camera data. */
export async function* generatePhotos(size: { width: number; height: number }): Files {
  const bases = await Promise.all(packagedPhotos().map((path) => sharp(path).resize(size).jpeg().toBuffer()))
  const shots = await Promise.all(
    bases.map((base, index) => dronePhoto({ base, latitude: 46.84, longitude: -92 + index })),
  )
  for (let count = 0; ; count += 1) {
    const text = new TextEncoder().encode(`${Date.now()} ${count}`)
    yield concatenate(withComment(shots[count % shots.length] as Buffer, text))
  }
}

/**
 * Registers the account unless it exists, and creates public folders of real photos: of `files`, or small ones. Resolves when
 * all are shown.
 */
export async function seedFolders(
  baseUrl: string,
  account: Account,
  { folders, photos, areRendered = false }: Size,
  files: Files = generatePhotos(SMALL),
): Promise<SeededFolders> {
  const owner = await openSignedInClient(baseUrl, account)
  const seeded: SeededFolder[] = []
  for (let number = 1; number <= folders; number += 1) {
    const { id, code } = await createFolder(owner, `Folder ${number} of ${account.username}`)
    for (let left = photos; left > 0; left -= MAX_FILES_PER_UPLOAD) {
      await upload(owner, id, files, Math.min(left, MAX_FILES_PER_UPLOAD))
    }
    const shown = await waitUntilShown(baseUrl, code, photos, areRendered)
    seeded.push({ id, code, photos: shown.map((photo) => photo.id) })
  }
  return { owner, folders: seeded }
}

export async function createFolder({ call }: SignedInClient, name: string): Promise<{ id: number; code: string }> {
  const folder = await call('POST', '/api/folders', { name, isPublic: true })
  const { id, shareCode: code } = folder as { id: number; shareCode: string }
  return { id, code }
}

async function upload(owner: SignedInClient, folderId: number, files: Files, count: number): Promise<void> {
  const form = new FormData()
  form.set('folderId', String(folderId))
  for (let index = 0; index < count; index += 1) {
    const { value } = await files.next()
    form.append('photos', new Blob([value], { type: 'image/jpeg' }), `photo-${index}.jpg`)
  }
  const response = (await owner.call('POST', '/api/upload-photos', form)) as { files: { issue: string | null }[] }
  const issue = response.files.find((file) => file.issue)?.issue
  if (issue) throw new Error(`A photo was rejected: ${issue}`)
}

/** Waits until the share shows so many photos, or renditions of all of them, and returns them. */
export async function waitUntilShown(
  baseUrl: string,
  code: string,
  count: number,
  areRendered: boolean,
): Promise<ListedPhoto[]> {
  const deadline = Date.now() + (areRendered ? RENDERED_TIMEOUT_MS : SHOWN_TIMEOUT_MS)
  for (; Date.now() < deadline; await delay(100)) {
    const photos = await readShare(baseUrl, code).catch(() => [])
    const shown = photos.filter(({ previewUrl }) => previewUrl || !areRendered)
    if (shown.length >= count) return shown
  }
  throw new Error(`The share ${code} does not show its ${count} photos.`)
}

/** The photos of the share page, with public names. */
export async function readShare(baseUrl: string, code: string): Promise<ListedPhoto[]> {
  const response = await fetch(`${baseUrl}/api/share/${code}`)
  if (!response.ok) throw new Error(`The share ${code} returned ${response.status}.`)
  return ((await response.json()) as { photos: ListedPhoto[] }).photos
}

/** The renditions of a photo. */
export function renditionsOf({ smallUrl, thumbnailUrl, mediumUrl, previewUrl }: ListedPhoto): string[] {
  return [smallUrl, thumbnailUrl, mediumUrl, previewUrl].filter((url) => url !== null)
}
