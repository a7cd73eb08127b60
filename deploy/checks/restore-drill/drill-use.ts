import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Account, openSession, type Session } from '../../local/session.ts'
import { basePhotos, createFiles, type UploadFile } from '../faults/files.ts'
import type { Acknowledged } from '../faults/load.ts'
import { seeded } from '../faults/random.ts'
import { runVoteLoad, type VoteReport } from '../faults/vote-load.ts'
import { type Seeded, seedVotes } from '../load/seed.ts'

/** What people were told before the backup began, of things that nobody touches afterwards. */
export interface Filled extends Seeded {
  /** Of the folders' owner. */
  account: Account
  votes: VoteReport['votes']
  pilot: Account
  uploads: Acknowledged[]
}

export interface Meanwhile {
  /** Uploads, votes and changes that were acknowledged. */
  done: number
  wrong: string[]
}

const voteMs = 4_000
const uploadsBefore = 12

function newAccount(username: string): Account {
  return { username, password: randomBytes(12).toString('hex') }
}

/** A user who uploads and deletes photos. */
interface Pilot {
  session: Session
  next(): UploadFile
}

async function openPilot(url: string, account: Account, seed: number): Promise<Pilot> {
  const session = await openSession(url, account)
  const files = createFiles(seeded(seed), await basePhotos(), account.username)
  const good = () => {
    for (;;) {
      const file = files.next()
      if (file.outcome === 'ready') return file
    }
  }
  return { session, next: good }
}

async function upload({ session, next }: Pilot): Promise<Acknowledged> {
  const file = next()
  const form = new FormData()
  form.append('photos', new Blob([new Uint8Array(file.bytes)], { type: 'image/jpeg' }), file.name)
  const answer = (await session.call('POST', '/api/upload-photos', form)) as { files: { photoId: number }[] }
  return { userId: 0, cookie: session.cookie, photoId: answer.files[0]?.photoId ?? 0, file }
}

/** Fills a system: folders of photos with votes, and a user with photos in none. */
export async function fill(url: string): Promise<Filled> {
  const account = newAccount('owner')
  const seeding = await seedVotes(url, account, { folders: 3, photos: 8 })
  const { votes } = await runVoteLoad({ ...seeding, url, seed: 1, ms: voteMs })
  const pilot = newAccount('pilot')
  const flights = await openPilot(url, pilot, 2)
  const uploads: Acknowledged[] = []
  for (let count = 0; count < uploadsBefore; count += 1) uploads.push(await upload(flights))
  return { ...seeding, account, votes, pilot, uploads }
}

/** Lets people vote, upload, delete, move and hide photos until `work` is done. */
export async function useWhile<T>(
  url: string,
  seeding: Seeded,
  work: () => Promise<T>,
): Promise<{ result: T; meanwhile: Meanwhile }> {
  const meanwhile: Meanwhile = { done: 0, wrong: [] }
  let over = false
  const votes = (async () => {
    for (let seed = 1000; !over; seed += 1000) {
      const report = await runVoteLoad({ ...seeding, url, seed, ms: 1_000 })
      meanwhile.done += report.votes.filter(({ outcome }) => outcome === 'acknowledged').length + report.changes
      meanwhile.wrong.push(...report.wrong)
    }
  })()
  const uploads = uploadUntil(url, () => over, meanwhile)
  // So that the backup meets the system in the middle of it.
  await delay(1_000)
  const result = await work().finally(() => {
    over = true
  })
  await Promise.all([votes, uploads])
  return { result, meanwhile }
}

/** Uploads, and deletes every third photo again. */
async function uploadUntil(url: string, over: () => boolean, meanwhile: Meanwhile): Promise<void> {
  const pilot = await openPilot(url, newAccount('busy-pilot'), 3)
  for (let count = 1; !over(); count += 1) {
    const { photoId } = await upload(pilot)
    if (count % 3 === 0) await pilot.session.call('DELETE', `/api/photos/${photoId}`).catch(ignoreEmpty)
    meanwhile.done += 1
  }
}

/** A deletion's answer has no body, which is no JSON. */
function ignoreEmpty(error: Error): void {
  if (!(error instanceof SyntaxError)) throw error
}
