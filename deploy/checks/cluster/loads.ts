import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLoadTestToken } from '../../../gateway/src/limits/load-test-token.ts'
import { createBasePhotos } from '../faults/upload-files.ts'
import { runUploadLoad, type UploadReport } from '../faults/upload-load.ts'
import { type LoggedVote, readVotes } from '../load/check-votes.ts'
import { runK6, type Summary } from '../load/run-k6.ts'
import { type SeededFolders, seedFolders } from '../load/seed-folders.ts'
import { readSecrets, target, waitUntil } from './cluster.ts'
import { type PageFigures, readPages } from './pages.ts'

export interface LoadOptions {
  seconds: number
  /** Votes per second: three of four over persistent connections, one over a new connection. */
  rate: number
  seed: number
}

/** What the clients of a load observed, up to the last response. */
export interface LoadReport {
  votes: LoggedVote[]
  /** Votes with neither 200 nor a rejection with Retry-After, missing responses included. */
  votesUnexpected: number
  /** Votes that k6 started; each must have logged its outcome. */
  votesStarted: number
  uploads: UploadReport
  pages: PageFigures
  seeded: SeededFolders
}

export interface RunningLoads {
  /** Whether the load still runs, so that what happens now happens under load. */
  running(): boolean
  /** Waits until the load is over. */
  finish(): Promise<LoadReport>
}

const size = { folders: 3, photos: 8 }
const PAGES_PER_SECOND = 8
/** A name that no other run has. */
const uniqueName = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`

interface VoteOutput {
  votes: LoggedVote[]
  started: number
  unexpected: number
}

/** Votes with one k6, over persistent or new connections; calls `onStart` after the first response, `signal` stops it. */
async function runVotes(
  rate: number,
  env: Record<string, string>,
  fresh: boolean,
  options: { onStart: () => void; signal: AbortSignal },
): Promise<VoteOutput> {
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-cluster-'))
  const [output, summary] = [join(folder, 'votes'), join(folder, 'summary.json')]
  const connections: Record<string, string> = fresh ? { K6_NO_CONNECTION_REUSE: 'true' } : {}
  const settings = { ...env, ...connections, RATE: String(rate), RUN: uniqueName('run'), SUMMARY: summary }
  const running = runK6('deploy/checks/load/k6-vote.ts', output, Number(env.SECONDS), settings, options.signal)
  running.catch(() => {})
  await Promise.race([
    running,
    waitUntil('the first vote has a response', 60, async () => (await stat(output)).size > 0),
  ])
  options.onStart()
  await running
  const { metrics } = JSON.parse(await readFile(summary, 'utf8')) as Summary
  const votes = readVotes(await readFile(output, 'utf8'))
  await rm(folder, { recursive: true })
  return {
    votes,
    started: metrics.iterations?.values.count ?? 0,
    unexpected: metrics.votes_unexpected?.values.count ?? 0,
  }
}

/** Starts all clients: voters, two uploaders with slow connections, and readers. */
export async function startLoads(options: LoadOptions): Promise<RunningLoads> {
  const { url } = target
  const account = { username: uniqueName('owner'), password: 'a long enough password' }
  const seeded = await seedFolders(url, account, size)
  const env = {
    BASE_URL: url,
    ALLOW_REMOTE: process.env.ALLOW_REMOTE ?? '',
    CODES: seeded.folders.map(({ code }) => code).join(),
    SCENARIO: 'folders',
    SECONDS: String(options.seconds),
    LOAD_TEST_TOKEN: createLoadTestToken(
      (await readSecrets())['load-test-key'] ?? '',
      Math.floor(Date.now() / 1000) + 3600,
    ),
  }
  const freshRate = Math.ceil(options.rate / 4)
  const starts = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const ms = options.seconds * 1000
  const pilots = { name: uniqueName('pilot'), users: 2, uploadsPerUser: 1, pauseMs: 3_000 }
  const abort = new AbortController()
  let running = true
  const all = Promise.all([
    runVotes(options.rate - freshRate, env, false, { onStart: starts[0].resolve, signal: abort.signal }),
    runVotes(freshRate, env, true, { onStart: starts[1].resolve, signal: abort.signal }),
    runUploadLoad({ url, seed: options.seed, ms, photos: await createBasePhotos(), ...pilots }, starts[2].resolve),
  ]).finally(() => {
    running = false
  })
  // If one load fails, the others are aborted.
  all.catch(() => abort.abort())
  await Promise.race([all, Promise.all(starts.map(({ promise }) => promise))])

  const pages = readPages(url, await pagesOf(url, seeded), PAGES_PER_SECOND)
  return {
    running: () => running,
    async finish() {
      const [persistent, fresh, uploads] = await all
      return {
        votes: [...persistent.votes, ...fresh.votes],
        votesStarted: persistent.started + fresh.started,
        votesUnexpected: persistent.unexpected + fresh.unexpected,
        uploads,
        pages: await pages.stop(),
        seeded,
      }
    },
  }
}

/** The pages that visitors and the owner read. */
async function pagesOf(url: string, { owner, folders }: SeededFolders) {
  const [folder] = folders
  const share = `/api/share/${folder?.code}`
  const response = await fetch(url + share)
  const { photos } = (await response.json()) as { photos: { url: string; thumbnailUrl: string | null }[] }
  const visitorCookie = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const { cookie } = owner
  return [
    { path: '/' },
    { path: share },
    { path: photos[0]?.thumbnailUrl ?? photos[0]?.url ?? '/' },
    { path: `/api/photos/${folder?.photos[0]}/image`, cookie: visitorCookie.join('; ') },
    { path: '/api/user', cookie },
    { path: '/api/folders', cookie },
    { path: `/api/folders/${folder?.id}/photos`, cookie },
  ]
}
