import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dataDir } from '../paths.ts'
import { openSignedInClient, type SignedInClient } from '../signed-in-client.ts'
import { castBallots } from './ballots.ts'
import { demoPictures, readPicture } from './pictures.ts'

interface Folder {
  id: number
  name: string
  shareCode: string
}

const ACCOUNT = 'demo'
const FOLDER_NAME = 'Around the world'
const DESCRIPTION = 'Pictures rendered by the demo, no photographs. Rank your three favourites.'
const FILES_PER_UPLOAD = 8
const passwordFile = join(dataDir, 'demo-password')

/** Creates the account "demo" with a public folder of rendered aerial pictures, once; prints how to sign in. */
export async function fillDemo(origin: string): Promise<void> {
  const password = await demoPassword()
  const session = await openSignedInClient(origin, {
    username: ACCOUNT,
    password,
    firstName: 'Demo',
    lastName: 'Pilot',
  })
  const folders = (await session.call('GET', '/api/folders')) as Folder[]
  const folder = folders.find(({ name }) => name === FOLDER_NAME) ?? (await createFolder(origin, session))
  console.log(`Demo account: ${ACCOUNT}, password: ${password}\nVoting link: ${origin}/share/${folder.shareCode}\n`)
}

async function createFolder(origin: string, session: SignedInClient): Promise<Folder> {
  // The gallery shows the newest first, so that the first flight is uploaded last.
  const pictures = (await demoPictures()).reverse()
  const body = { name: FOLDER_NAME, description: DESCRIPTION, isPublic: true }
  const folder = (await session.call('POST', '/api/folders', body)) as Folder
  for (let first = 0; first < pictures.length; first += FILES_PER_UPLOAD) {
    const form = new FormData()
    form.set('folderId', String(folder.id))
    for (const picture of pictures.slice(first, first + FILES_PER_UPLOAD)) {
      form.append('photos', await readPicture(picture), `${picture.flight.title}.jpg`)
    }
    await session.call('POST', '/api/upload-photos', form)
  }
  await castBallots(origin, { ...folder, photoCount: pictures.length })
  return folder
}

async function demoPassword(): Promise<string> {
  const kept = await readFile(passwordFile, 'utf8').catch(() => null)
  if (kept) return kept
  const password = randomBytes(9).toString('base64url')
  await mkdir(dataDir, { recursive: true })
  await writeFile(passwordFile, password, { mode: 0o600 })
  return password
}
