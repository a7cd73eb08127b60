import { setTimeout as delay } from 'node:timers/promises'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import sharp from 'sharp'
import { type Account, openSession, type Session } from '../../local/session.ts'
import { joined, withComment } from './files.ts'

/** A public folder made for votes. */
export interface SeededFolder {
  id: number
  code: string
  photos: number[]
}

export interface Seeded {
  owner: Session
  folders: SeededFolder[]
}

const mostFilesPerUpload = 10
const small = { width: 480, height: 360 }
const shownWithinMs = 60_000

/** Small photos with positions and the camera's data, none like another. */
async function* smallPhotos(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bases = await Promise.all(packagedPhotos().map((path) => sharp(path).resize(small).jpeg().toBuffer()))
  const shots = await Promise.all(
    bases.map((base, index) => dronePhoto({ base, latitude: 46.84, longitude: -92 + index })),
  )
  for (let count = 0; ; count += 1) {
    const text = new TextEncoder().encode(`${Date.now()} ${count}`)
    yield joined(withComment(shots[count % shots.length] as Buffer, text))
  }
}

/** Registers the account unless it is there, and makes public folders of small real photos; resolves when all are shown. */
export async function seedVotes(
  baseUrl: string,
  account: Account,
  { folders, photos }: { folders: number; photos: number },
): Promise<Seeded> {
  const owner = await openSession(baseUrl, account)
  const files = smallPhotos()
  const seeded: SeededFolder[] = []
  for (let number = 1; number <= folders; number += 1) {
    const { id, shareCode: code } = (await owner.call('POST', '/api/folders', {
      name: `Votes ${number} of ${account.username}`,
      isPublic: true,
    })) as { id: number; shareCode: string }
    for (let left = photos; left > 0; left -= mostFilesPerUpload) {
      await upload(owner, id, files, Math.min(left, mostFilesPerUpload))
    }
    seeded.push({ id, code, photos: await untilShown(baseUrl, code, photos) })
  }
  return { owner, folders: seeded }
}

async function upload(
  owner: Session,
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
  const answer = (await owner.call('POST', '/api/upload-photos', form)) as { files: { issue: string | null }[] }
  const issue = answer.files.find((file) => file.issue)?.issue
  if (issue) throw new Error(`A photo was refused: ${issue}`)
}

async function untilShown(baseUrl: string, code: string, count: number): Promise<number[]> {
  for (const deadline = Date.now() + shownWithinMs; Date.now() < deadline; await delay(100)) {
    const answer = await fetch(`${baseUrl}/api/share/${code}`)
    const { photos = [] } = answer.ok ? ((await answer.json()) as { photos: { id: number }[] }) : {}
    if (photos.length >= count) return photos.map(({ id }) => id)
  }
  throw new Error(`The share ${code} does not show its ${count} photos within ${shownWithinMs / 1000} s.`)
}
