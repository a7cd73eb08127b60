import { setTimeout as delay } from 'node:timers/promises'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import sharp from 'sharp'
import { type Account, openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { concatenate, withComment } from './multipart.ts'

/** A public folder created for votes. */
export interface SeededFolder {
  id: number
  code: string
  photos: number[]
}

export interface SeededFolders {
  owner: SignedInClient
  folders: SeededFolder[]
}

const MAX_FILES_PER_UPLOAD = 10
const SMALL = { width: 480, height: 360 }
const SHOWN_TIMEOUT_MS = 60_000

/** Generates unique small photos with positions and camera data. */
async function* generateSmallPhotos(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bases = await Promise.all(packagedPhotos().map((path) => sharp(path).resize(SMALL).jpeg().toBuffer()))
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
  { folders, photos }: { folders: number; photos: number },
  files: AsyncGenerator<Uint8Array<ArrayBuffer>> = generateSmallPhotos(),
): Promise<SeededFolders> {
  const owner = await openSignedInClient(baseUrl, account)
  const seeded: SeededFolder[] = []
  for (let number = 1; number <= folders; number += 1) {
    const { id, shareCode: code } = (await owner.call('POST', '/api/folders', {
      name: `Votes ${number} of ${account.username}`,
      isPublic: true,
    })) as { id: number; shareCode: string }
    for (let left = photos; left > 0; left -= MAX_FILES_PER_UPLOAD) {
      await upload(owner, id, files, Math.min(left, MAX_FILES_PER_UPLOAD))
    }
    seeded.push({ id, code, photos: await waitUntilShown(baseUrl, code, photos) })
  }
  return { owner, folders: seeded }
}

async function upload(
  owner: SignedInClient,
  folderId: number,
  files: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  count: number,
): Promise<void> {
  const form = new FormData()
  form.set('folderId', String(folderId))
  for (let index = 0; index < count; index += 1) {
    const { value } = await files.next()
    form.append('photos', new Blob([value], { type: 'image/jpeg' }), `vote-${index}.jpg`)
  }
  const response = (await owner.call('POST', '/api/upload-photos', form)) as { files: { issue: string | null }[] }
  const issue = response.files.find((file) => file.issue)?.issue
  if (issue) throw new Error(`A photo was rejected: ${issue}`)
}

async function waitUntilShown(baseUrl: string, code: string, count: number): Promise<number[]> {
  for (const deadline = Date.now() + SHOWN_TIMEOUT_MS; Date.now() < deadline; await delay(100)) {
    const response = await fetch(`${baseUrl}/api/share/${code}`)
    const { photos = [] } = response.ok ? ((await response.json()) as { photos: { id: number }[] }) : {}
    if (photos.length >= count) return photos.map(({ id }) => id)
  }
  throw new Error(`The share ${code} does not show its ${count} photos within ${SHOWN_TIMEOUT_MS / 1000} s.`)
}
