import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { declareFile, sha256Of } from '../declared-file.ts'
import { findObjectsWithoutRow, openStoredData, type StoredData } from './consistency.ts'
import { uploadInParts } from './part-upload.ts'
import { seededRandom } from './random.ts'
import { checkProcessExits, cleanups, expectEventually, limitRun, reportResult, type Verdict } from './runner.ts'
import { startS3Store } from './s3-store.ts'
import { createBasePhotos } from './upload-files.ts'

// `npm run check -- faults:upload --abandoned [--sessions 10000 --store s3|dir]`: users declare files until they are stopped, send a part
// of some and never complete one. Then the time of all sessions is over: nothing of them may stay, and meanwhile another user
// uploads photos. s3 needs MinIO. Exits with 1 and prints the details when anything is wrong.
interface Flags {
  sessions: string
  store: string
  keep: boolean
}

/** As UPLOAD_SESSIONS_PER_USER of the system that is started. */
const MOST_OF_USER = 200
const FILES_OF_REQUEST = 20
const USERS_AT_ONCE = 4
const FILE_BYTES = 2_000
/** One file in so many has its part sent. */
const SENT_EVERY = 10
const SWEPT_TIMEOUT_MS = 600_000
const PHOTO_TIMEOUT_MS = 30_000
const REMOVED_TIMEOUT_MS = 150_000

interface Created {
  results: { state: string; code?: string; session?: { id: string } }[]
}

interface Abandoned {
  open: number
  sent: number
}

const newClient = (system: LaunchedSystem, username: string) =>
  openSignedInClient(system.url, { username, password: 'a long enough password' })

/** Declares files until there are too many, and sends the part of some. */
async function abandon(system: LaunchedSystem, username: string, verdict: Verdict): Promise<Abandoned> {
  const client = await newClient(system, username)
  const counts = { open: 0, sent: 0 }
  for (let isFull = false; !isFull; ) {
    const contents = Array.from({ length: FILES_OF_REQUEST }, () => randomBytes(FILE_BYTES))
    const files = contents.map((bytes) => declareFile('abandoned.jpg', bytes, UPLOAD_PARTS.minBytes))
    const { results } = (await client.call('POST', '/api/upload-sessions', { files })) as Created
    for (const [index, { state, code, session }] of results.entries()) {
      if (state === 'rejected' && code === 'too_many_uploads') isFull = true
      else if (!session) verdict.errors.push(`${username} got ${state} ${code ?? ''} for a file`)
      else counts.open += 1
      if (session && counts.open % SENT_EVERY === 0) {
        await sendPart(system, client, session.id, contents[index] as Buffer)
        counts.sent += 1
      }
    }
    if (counts.open > MOST_OF_USER) break
  }
  if (counts.open !== MOST_OF_USER) verdict.errors.push(`${username} has ${counts.open} open upload sessions`)
  return counts
}

async function sendPart(system: LaunchedSystem, { cookie }: SignedInClient, id: string, part: Buffer): Promise<void> {
  const response = await fetch(`${system.url}/api/upload-sessions/${id}/parts/1`, {
    method: 'PUT',
    headers: { cookie, origin: system.url, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(part),
  })
  if (!response.ok) throw new Error(`a part was answered ${response.status}: ${await response.text()}`)
}

async function abandonAll(system: LaunchedSystem, wanted: number, verdict: Verdict): Promise<Abandoned> {
  const names = Array.from({ length: Math.ceil(wanted / MOST_OF_USER) }, (_, index) => `abandoner${index}`)
  const sum = { open: 0, sent: 0 }
  async function abandonNext(): Promise<void> {
    for (let name = names.pop(); name; name = names.pop()) {
      const { open, sent } = await abandon(system, name, verdict)
      sum.open += open
      sum.sent += sent
    }
  }
  await Promise.all(Array.from({ length: USERS_AT_ONCE }, abandonNext))
  return sum
}

/** Another user uploads one photo after the other until the signal. Returns their times in milliseconds. */
async function uploadMeanwhile(system: LaunchedSystem, verdict: Verdict, signal: AbortSignal): Promise<number[]> {
  const { cookie } = await newClient(system, 'honest')
  const [photo = Buffer.alloc(0)] = await createBasePhotos()
  const times: number[] = []
  while (!signal.aborted) {
    const start = performance.now()
    const bytes = Buffer.concat([photo, Buffer.from(String(times.length))])
    const file = { name: `${times.length}.jpg`, bytes, sha256: sha256Of(bytes), outcome: 'ready' as const }
    const [outcome] = await uploadInParts([file], {
      url: system.url,
      headers: { cookie, origin: system.url },
      folderId: null,
      random: seededRandom(times.length),
      bytesPerSecond: 20_000_000,
      chooseWay: () => 'gateway',
      count: () => {},
      deadline: Date.now() + PHOTO_TIMEOUT_MS,
    })
    if (!outcome || !('photoId' in outcome)) verdict.errors.push(`an honest photo became ${JSON.stringify(outcome)}`)
    times.push(performance.now() - start)
    await delay(500, undefined, { signal }).catch(() => {})
  }
  return times
}

/** The time of all sessions is over. Resolves when they are removed, with the seconds that it took. */
async function sweep(stored: StoredData, verdict: Verdict): Promise<void> {
  const { errors, facts } = verdict
  const [sessions, uploads] = [await stored.uploadSessions(), new Set(await stored.incompleteUploads())]
  facts.push(`before the sweep: ${sessions.length} sessions, ${uploads.size} uploads at the store`)
  const start = performance.now()
  await stored.expireUploadSessions()
  await expectEventually(verdict, 'no expired upload session is left', SWEPT_TIMEOUT_MS, async () => {
    return !(await stored.uploadSessions()).some(({ isExpired }) => isExpired)
  })
  facts.push(
    `sessions ended per second, with the wait for the sweep of each minute: ${Math.round((1000 * sessions.length) / (performance.now() - start))}`,
  )
  const left = (await stored.incompleteUploads()).filter((id) => uploads.has(id))
  if (left.length > 0) errors.push(`${left.length} uploads remained at the store`)
}

export async function runAbandoned(flags: Flags): Promise<void> {
  limitRun(1_800_000)
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-abandoned-'))
  const settings = flags.store === 'dir' ? {} : (await startS3Store(dataDir)).settings
  const system = await launchSystem(dataDir, settings)
  cleanups.push(() => system.stop())
  const log = join(dataDir, 'system.log')
  cleanups.push(() => writeFile(log, system.lines.join('\n')))
  const stored = await openStoredData(await system.state())
  cleanups.push(() => stored.close())

  const verdict: Verdict = { errors: [], facts: [] }
  const start = performance.now()
  const { open, sent } = await abandonAll(system, Number(flags.sessions), verdict)
  const seconds = (performance.now() - start) / 1000
  console.log(`${open} sessions are open after ${seconds.toFixed(0)} s.`)
  verdict.facts.push(`${open} sessions opened in ${seconds.toFixed(0)} s, parts of ${sent} sent`)

  const end = new AbortController()
  const meanwhile = uploadMeanwhile(system, verdict, end.signal)
  await sweep(stored, verdict).finally(() => end.abort())
  const times = await meanwhile
  const orphans = async () => findObjectsWithoutRow(await stored.photos(), await stored.objectKeys())
  await expectEventually(
    verdict,
    'no object is without a row',
    REMOVED_TIMEOUT_MS,
    async () => (await orphans()).length === 0,
  )
  checkProcessExits(verdict, system)
  verdict.facts.push(`photos of another user meanwhile: ${times.length}, slowest ${Math.round(Math.max(...times))} ms`)
  reportResult(verdict.errors, {
    summary: [`store ${flags.store}`, ...verdict.facts],
    fine: 'Nothing abandoned is left.',
    keep: flags.keep,
    dataDir,
    log,
  })
}
