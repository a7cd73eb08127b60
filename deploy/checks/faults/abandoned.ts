import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import type { LaunchedSystem } from '../../local/launch.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { declareFile, sha256Of } from '../declared-file.ts'
import { cleanups, inParallel, startStore, startSystem } from '../harness.ts'
import { findObjectsWithoutRow, openStoredData, sweepSessions } from './consistency.ts'
import { seededRandom } from './random.ts'
import { checkProcessExits, createDeadline, expectEventually, reportResult, type Verdict } from './runner.ts'
import { createBasePhotos } from './upload-files.ts'
import { inParts, uploadWithRetries } from './upload-ways.ts'

// `npm run check -- faults:upload --abandoned`: users declare files until they are stopped, send
// a part of some and never complete one. Then the time of all sessions is over: nothing of them may stay, and meanwhile another
// user uploads photos.

/** As `SESSION_LIMITS` of media (services/media/src/upload-sessions/deps.ts). */
const MOST_OF_USER = 200
const FILES_OF_REQUEST = 20
const USERS = 50
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

/** Declares files until there are too many, and sends the part of some. Returns how many sessions are open. */
async function abandon({ url }: LaunchedSystem, username: string, verdict: Verdict): Promise<number> {
  const { cookie, call } = await openSignedInClient(url, { username, password: 'a long enough password' })
  let open = 0
  for (let isFull = false; !isFull && open <= MOST_OF_USER; ) {
    const contents = Array.from({ length: FILES_OF_REQUEST }, () => randomBytes(FILE_BYTES))
    const files = contents.map((bytes) => declareFile('abandoned.jpg', bytes, UPLOAD_PARTS.minBytes))
    const { results } = (await call('POST', '/api/upload-sessions', { files })) as Created
    for (const [index, { state, code, session }] of results.entries()) {
      if (state === 'rejected' && code === 'too_many_uploads') isFull = true
      else if (!session) verdict.errors.push(`${username} got ${state} ${code ?? ''} for a file`)
      else open += 1
      if (!session || open % SENT_EVERY !== 0) continue
      const response = await fetch(`${url}/api/upload-sessions/${session.id}/parts/1`, {
        method: 'PUT',
        headers: { cookie, origin: url, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(contents[index] as Buffer),
      })
      if (!response.ok) throw new Error(`a part was answered ${response.status}: ${await response.text()}`)
    }
  }
  if (open !== MOST_OF_USER) verdict.errors.push(`${username} has ${open} open upload sessions`)
  return open
}

async function abandonAll(system: LaunchedSystem, verdict: Verdict): Promise<number> {
  const names = Array.from({ length: USERS }, (_, index) => `abandoner${index}`)
  let open = 0
  await inParallel(names, USERS_AT_ONCE, async (name) => {
    const count = await abandon(system, name, verdict)
    open += count
  })
  return open
}

/** Another user uploads one photo after the other until the signal. Returns their times in milliseconds. */
async function uploadMeanwhile({ url }: LaunchedSystem, verdict: Verdict, signal: AbortSignal): Promise<number[]> {
  const { cookie } = await openSignedInClient(url, { username: 'honest', password: 'a long enough password' })
  const [photo = Buffer.alloc(0)] = await createBasePhotos()
  const times: number[] = []
  while (!signal.aborted) {
    const start = performance.now()
    const bytes = Buffer.concat([photo, Buffer.from(String(times.length))])
    const file = { name: `${times.length}.jpg`, bytes, sha256: sha256Of(bytes), outcome: 'ready' as const }
    const [outcome] = await uploadWithRetries([file], inParts, {
      url,
      headers: { cookie, origin: url },
      folderId: null,
      random: seededRandom(times.length),
      bytesPerSecond: 20_000_000,
      count: () => {},
      isLate: createDeadline(() => false, PHOTO_TIMEOUT_MS),
    })
    if (!outcome || !('photoId' in outcome)) verdict.errors.push(`an honest photo became ${JSON.stringify(outcome)}`)
    times.push(performance.now() - start)
    await delay(500, undefined, { signal }).catch(() => {})
  }
  return times
}

export async function checkAbandoned(folder: string): Promise<void> {
  const { settings } = await startStore(folder)
  const system = await startSystem(folder, settings)
  const stored = await openStoredData(await system.state())
  cleanups.push(() => stored.close())

  const verdict: Verdict = { errors: [], facts: [] }
  const open = await abandonAll(system, verdict)
  console.log(`${open} sessions are open.`)
  const end = new AbortController()
  const meanwhile = uploadMeanwhile(system, verdict, end.signal)
  await sweepSessions(verdict, stored, SWEPT_TIMEOUT_MS).finally(() => end.abort())
  const times = await meanwhile
  await expectEventually(verdict, 'no object is without a row', REMOVED_TIMEOUT_MS, async () => {
    return findObjectsWithoutRow(await stored.photos(), await stored.objectKeys()).length === 0
  })
  checkProcessExits(verdict, system)
  const slowest = `photos of another user meanwhile: ${times.length}, slowest ${Math.round(Math.max(...times))} ms`
  reportResult(verdict, [`${open} sessions`, slowest], 'Nothing abandoned is left.')
}
