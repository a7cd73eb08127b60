import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import { dataDir } from './paths.ts'
import { openSession } from './session.ts'

const account = 'demo'
const passwordFile = join(dataDir, 'demo-password')

/** Where the demo's flights go: each takes the npm-carried photograph whose name contains `base`. */
const flights = [
  { title: 'Gunnison river from above', base: 'black-canyon', latitude: 38.5753, longitude: -107.7416 },
  { title: 'Chasm view at noon', base: 'black-canyon', latitude: 38.5801, longitude: -107.7255 },
  { title: 'Boats at Nakashima river', base: 'nagasaki-boats', latitude: 32.7465, longitude: 129.8798 },
  { title: 'Harbour, low tide', base: 'nagasaki-boats', latitude: 32.7412, longitude: 129.8691 },
  { title: 'Alpine meadow', base: 'french-alpine', latitude: 45.9237, longitude: 6.8694 },
  { title: 'Glacier foot', base: 'french-alpine', latitude: 45.9012, longitude: 6.8871 },
  { title: 'Final approach', base: 'airplane', latitude: 33.9461, longitude: -118.3853 },
  { title: 'Brighton Beach', base: 'french-alpine', latitude: 46.8426, longitude: -91.9946 },
]

/** Makes the account "demo" with a public folder of photographs, once; prints how to sign in. */
export async function fillDemo(origin: string): Promise<void> {
  const password = await demoPassword()
  const { call: session } = await openSession(origin, {
    username: account,
    password,
    firstName: 'Demo',
    lastName: 'Pilot',
  })
  const folders = (await session('GET', '/api/folders')) as { id: number; name: string; shareCode: string }[]
  const name = 'Demo flight'
  let folder = folders.find((candidate) => candidate.name === name)
  if (!folder) {
    folder = (await session('POST', '/api/folders', {
      name,
      description: 'Photographs that npm carries, with the positions of imagined flights.',
      isPublic: true,
    })) as { id: number; name: string; shareCode: string }
    await session('POST', '/api/upload-photos', await demoForm(folder.id))
  }
  console.log(`Demo account: ${account}, password: ${password}\nVoting link: ${origin}/share/${folder.shareCode}\n`)
}

async function demoPassword(): Promise<string> {
  const kept = await readFile(passwordFile, 'utf8').catch(() => null)
  if (kept) return kept
  const password = randomBytes(9).toString('base64url')
  await mkdir(dataDir, { recursive: true })
  await writeFile(passwordFile, password, { mode: 0o600 })
  return password
}

async function demoForm(folderId: number): Promise<FormData> {
  const form = new FormData()
  form.set('folderId', String(folderId))
  for (const [index, flight] of flights.entries()) {
    const base = packagedPhotos().find((path) => path.includes(flight.base))
    if (!base) throw new Error(`The photograph ${flight.base} is missing: run npm ci.`)
    const takenAt = `2026:06:${String(10 + index)} 10:${String(15 + index)}:00`
    const photo = await dronePhoto({ ...flight, base, takenAt, relativeAltitude: 80 + index })
    form.append('photos', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), `${flight.title}.jpg`)
  }
  return form
}
