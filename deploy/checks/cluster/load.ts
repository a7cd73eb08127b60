import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createLoadTestToken } from '../../../gateway/src/limits/load-test-token.ts'
import {
  checkBytes,
  checkRows,
  compareProjection,
  findRowsWithoutObject,
  openStoredData,
} from '../faults/consistency.ts'
import { createBasePhotos } from '../faults/upload-files.ts'
import { runUploadLoad, type UploadReport } from '../faults/upload-load.ts'
import { readVotes, verifyVotes } from '../load/check-votes.ts'
import { countOf, describeTimes, loadWithK6 } from '../load/run-k6.ts'
import { readShare, type SeededFolders, seedFolders } from '../load/seed-folders.ts'
import { forwardPort, objectName, readSecrets, target, waitUntil } from './cluster.ts'
import { type Outcome, type TestOptions, took } from './outcome.ts'

/** Size of the random sample of ballots compared with the share page; all are compared with their rows. */
const SHARES_COMPARED = 500
const PROCESSED_TIMEOUT_SECONDS = 180
const RESPONSE_TIMEOUT_MS = 30_000
/** A name that no other run has. */
const uniqueName = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`

/** What clients of one kind observed: the count of each response, and what no client should get. */
type Observed = Pick<UploadReport, 'responses' | 'errors'>

/**
 * Runs `work` while voters, uploaders and readers use the system. At most this part of their requests may fail, and then so
 * that they can be retried; nothing acknowledged may be lost.
 */
export async function underLoad(
  outcome: Outcome,
  { seconds, rate, seed, maxFailedPart }: Required<TestOptions> & { maxFailedPart: number },
  work: () => Promise<void>,
): Promise<void> {
  const { url } = target
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-cluster-'))
  const account = { username: uniqueName('owner'), password: 'a long enough password' }
  const seeded = await seedFolders(url, account, { folders: 3, photos: 8 })
  const uploading = Promise.withResolvers<void>()
  const pilots = { name: uniqueName('pilot'), users: 2, uploadsPerUser: 1, pauseMs: 3_000 }
  const photos = await createBasePhotos()
  let isRunning = true
  const load = Promise.all([
    vote(folder, seeded, seconds, rate),
    runUploadLoad({ url, seed, ms: seconds * 1000, photos, ...pilots }, uploading.resolve),
  ]).finally(() => {
    isRunning = false
  })
  const voting = waitUntil('the first vote has a response', 60, async () => {
    return (await stat(join(folder, 'k6.log'))).size > 0
  })
  await Promise.race([load, Promise.all([voting, uploading.promise])])
  const stop = new AbortController()
  const reading = readPages(seeded, stop.signal)

  await work()
  outcome.checks['the load lasted longer than the changes'] = isRunning
  const [votes, uploads] = await load
  stop.abort()
  judgeResponses(outcome, { votes, uploads, pages: await reading }, maxFailedPart)
  await judgeStores(outcome, votes, uploads, seeded)
  await rm(folder, { recursive: true })
}

type Votes = Observed & { sent: ReturnType<typeof readVotes>; figures: Outcome['figures'] }

/** Votes with k6 over persistent connections. */
async function vote(folder: string, { folders }: SeededFolders, seconds: number, rate: number): Promise<Votes> {
  const key = (await readSecrets())['load-test-key'] ?? ''
  const env = {
    CODES: folders.map(({ code }) => code).join(),
    SCENARIO: 'folders',
    SECONDS: String(seconds),
    RATE: String(rate),
    RUN: uniqueName('run'),
    LOAD_TEST_TOKEN: createLoadTestToken(key, Math.floor(Date.now() / 1000) + 3600),
  }
  const k6 = { baseUrl: target.url, folder, system: null }
  const { lines, metrics } = await loadWithK6(k6, 'deploy/checks/load/k6-vote.ts', seconds, env)
  const sent = readVotes(lines)
  const responses = new Map<string, number>()
  for (const { status } of sent) count(responses, status === 0 ? 'no response' : String(status))
  // Without a response a vote can be retried.
  const unexpected = countOf(metrics, 'votes_unexpected') - (responses.get('no response') ?? 0)
  const lost = countOf(metrics, 'iterations') - sent.length
  return {
    sent,
    responses,
    figures: { 'response time of a vote': describeTimes(metrics, 'http_req_duration') },
    errors: [
      ...(unexpected > 0 ? [`${unexpected} votes got responses that cannot be retried`] : []),
      ...(lost > 0 ? [`${lost} votes have no outcome`] : []),
    ],
  }
}

const count = (responses: Map<string, number>, kind: string) => responses.set(kind, (responses.get(kind) ?? 0) + 1)

/** Visitors and the owner read pages and pictures, each about once a second over a new connection. */
async function readPages({ owner, folders }: SeededFolders, signal: AbortSignal): Promise<Observed> {
  const [folder] = folders
  const share = `/api/share/${folder?.code}`
  const [photo] = await readShare(target.url, folder?.code ?? '')
  const observed: Observed = { responses: new Map(), errors: [] }
  const read = async (path: string) => {
    for (; !signal.aborted; await delay(1_000, undefined, { signal }).catch(() => {})) {
      const headers = { cookie: owner.cookie, connection: 'close' }
      const timeout = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
      const response = await fetch(target.url + path, { headers, signal: timeout })
        .then(async (response) => response.arrayBuffer().then(() => response))
        .catch(() => null)
      count(observed.responses, response ? String(response.status) : 'no response')
      if (response && !response.ok && !response.headers.has('retry-after'))
        observed.errors.push(`${path} returned ${response.status}`)
    }
  }
  const pages = ['/', share, photo?.thumbnailUrl ?? photo?.url ?? '/', '/api/user', '/api/folders']
  await Promise.all([...pages, `/api/folders/${folder?.id}/photos`].map(read))
  return observed
}

function judgeResponses(outcome: Outcome, clients: Record<string, Observed>, maxFailedPart: number): void {
  let [requests, failed] = [0, 0]
  for (const [what, { responses, errors }] of Object.entries(clients)) {
    for (const [response, times] of responses) {
      requests += times
      // Invalid files are rejected.
      if (!/^2\d\d$|^4(?!29)\d\d$/.test(response)) failed += times
    }
    outcome.figures[what] = [...responses].map(([response, times]) => `${times} × ${response}`).join(', ')
    outcome.checks[`${what} flowed, and what failed can be retried`] = responses.size > 0 && errors.length === 0
    outcome.errors.push(...errors)
  }
  outcome.figures['requests failed at first'] = `${failed} of ${requests}`
  const allowed = maxFailedPart === 0 ? 'no request' : `at most ${100 * maxFailedPart} % of the requests`
  outcome.checks[`${allowed} failed at first`] = failed <= maxFailedPart * requests
}

/** Compares everything acknowledged with the release's own databases and bucket. */
async function judgeStores(outcome: Outcome, votes: Votes, uploads: UploadReport, seeded: SeededFolders) {
  const keys = await readSecrets()
  const postgres = await forwardPort(objectName('postgresql'), 5432)
  const objects = await forwardPort(objectName('minio'), 9000)
  const database = (service: string) =>
    `postgres://skyfolio:${keys['postgres-password']}@127.0.0.1:${postgres.port}/skyfolio_${service}`
  const env = {
    media: {
      DATABASE_URL: database('media'),
      S3_ENDPOINT: `http://127.0.0.1:${objects.port}`,
      S3_BUCKET: 'skyfolio',
      S3_ACCESS_KEY: keys['s3-access-key'] ?? '',
      S3_SECRET_KEY: keys['s3-secret-key'] ?? '',
    },
    folders: { DATABASE_URL: database('folders'), VOTER_KEYS: keys['voter-keys'] ?? '' },
  }
  const place = { baseUrl: target.url, system: { state: async () => ({ env }) } }
  Object.assign(outcome.figures, votes.figures)
  Object.assign(outcome.checks, await verifyVotes(place, seeded, votes.sent, SHARES_COMPARED))
  await judgeUploads(outcome, uploads, env)
  postgres.close()
  objects.close()
}

/** Checks that every acknowledged photo is stored byte for byte, once, and processed. */
async function judgeUploads(
  { figures, checks, errors }: Outcome,
  uploads: UploadReport,
  env: Parameters<typeof openStoredData>[0]['env'],
): Promise<void> {
  const stored = await openStoredData({ env })
  const users = new Set(uploads.acknowledged.map(({ userId }) => userId))
  const photos = async () => (await stored.photos()).filter(({ userId }) => users.has(userId))
  const processed = waitUntil('every photo is processed', PROCESSED_TIMEOUT_SECONDS, async () => {
    return (await photos()).every(({ status }) => status !== 'processing')
  })
  figures['the last photo is processed, after the load'] = await took(processed)
  await waitUntil('the projection in folders matches media', PROCESSED_TIMEOUT_SECONDS, async () => {
    return compareProjection(await stored.photos(), await stored.projectedPhotos()).length === 0
  })
  const settled = await photos()
  const lost = [
    ...checkRows(settled, uploads),
    ...findRowsWithoutObject(settled, await stored.objectKeys()),
    ...(await checkBytes(target.url, settled, uploads.acknowledged)),
  ]
  figures['photos compared'] = `${settled.length}, byte for byte`
  checks['no acknowledged photo is lost, duplicated or unprocessed'] = settled.length > 0 && lost.length === 0
  errors.push(...lost)
  await stored.close()
}
