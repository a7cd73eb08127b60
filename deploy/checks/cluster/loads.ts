import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLoadTestToken } from '../../../gateway/src/limits/load-test-token.ts'
import { openSession } from '../../local/session.ts'
import { basePhotos } from '../faults/files.ts'
import { type Report, runLoad } from '../faults/load.ts'
import { runK6, type Summary } from '../load/k6.ts'
import { type Seeded, seedVotes } from '../load/seed.ts'
import { type LoggedVote, readVotes } from '../load/votes-check.ts'
import { secrets, target, until } from './cluster.ts'
import { followEvents, type StreamFigures } from './events.ts'
import { type PageFigures, readPages } from './pages.ts'

export interface LoadOptions {
  seconds: number
  /** Votes a second: three of four over connections that stay open, one over a new connection. */
  rate: number
  seed: number
}

/** What the clients of a load saw, to the last answer. */
export interface LoadReport {
  votes: LoggedVote[]
  /** Votes that were answered with neither 200 nor a request to come back later, an answer that never came apart. */
  votesAnsweredWrong: number
  /** Votes that k6 began; each must have told its outcome. */
  votesBegun: number
  uploads: Report
  pages: PageFigures
  events: StreamFigures
  seeded: Seeded
}

export interface RunningLoads {
  /** Whether the load goes on, so that what is done now is done under load. */
  running(): boolean
  /** Waits until the load is over. */
  finish(): Promise<LoadReport>
}

const size = { folders: 3, photos: 8 }
const pagesPerSecond = 8
/** Folders that no other run has. */
const newName = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`

interface VoteOutput {
  votes: LoggedVote[]
  begun: number
  wrong: number
}

/** Votes of one k6, over kept or new connections; `begun` is called with the first answer, `signal` ends it. */
async function vote(
  rate: number,
  env: Record<string, string>,
  fresh: boolean,
  o: { begun: () => void; signal: AbortSignal },
): Promise<VoteOutput> {
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-cluster-'))
  const [output, summary] = [join(folder, 'votes'), join(folder, 'summary.json')]
  const connections: Record<string, string> = fresh ? { K6_NO_CONNECTION_REUSE: 'true' } : {}
  const settings = { ...env, ...connections, RATE: String(rate), RUN: newName('run'), SUMMARY: summary }
  const running = runK6('deploy/checks/load/vote.ts', output, Number(env.SECONDS), settings, o.signal)
  running.catch(() => {})
  await Promise.race([running, until('the first vote is answered', 60, async () => (await stat(output)).size > 0)])
  o.begun()
  await running
  const { metrics } = JSON.parse(await readFile(summary, 'utf8')) as Summary
  const votes = readVotes(await readFile(output, 'utf8'))
  await rm(folder, { recursive: true })
  return {
    votes,
    begun: metrics.iterations?.values.count ?? 0,
    wrong: metrics.votes_answered_wrong?.values.count ?? 0,
  }
}

/** Everybody who uses the system at once: voters, two pilots with slow lines, readers, and a page that listens. */
export async function startLoads(o: LoadOptions): Promise<RunningLoads> {
  const { url } = target
  const account = { username: newName('owner'), password: 'a long enough password' }
  const seeded = await seedVotes(url, account, size)
  const env = {
    BASE_URL: url,
    ALLOW_REMOTE: process.env.ALLOW_REMOTE ?? '',
    CODES: seeded.folders.map(({ code }) => code).join(),
    SCENARIO: 'folders',
    SECONDS: String(o.seconds),
    LOAD_TEST_TOKEN: createLoadTestToken(
      (await secrets())['load-test-key'] ?? '',
      Math.floor(Date.now() / 1000) + 3600,
    ),
  }
  const fresh = Math.ceil(o.rate / 4)
  const starts = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const ms = o.seconds * 1000
  const pilots = { name: newName('pilot'), users: 2, uploadsPerUser: 1, pauseMs: 3_000 }
  const leaving = new AbortController()
  let running = true
  const all = Promise.all([
    vote(o.rate - fresh, env, false, { begun: starts[0].resolve, signal: leaving.signal }),
    vote(fresh, env, true, { begun: starts[1].resolve, signal: leaving.signal }),
    runLoad({ url, seed: o.seed, ms, photos: await basePhotos(), ...pilots }, starts[2].resolve),
  ]).finally(() => {
    running = false
  })
  // A load that could not be carried through leaves nobody behind.
  all.catch(() => leaving.abort())
  await Promise.race([all, Promise.all(starts.map(({ promise }) => promise))])

  const pilot = await openSession(url, { username: `${pilots.name}1`, password: account.password })
  const events = followEvents(url, pilot.cookie)
  const pages = readPages(url, await pagesOf(seeded), pagesPerSecond)
  return {
    running: () => running,
    async finish() {
      const [kept, anew, uploads] = await all
      return {
        votes: [...kept.votes, ...anew.votes],
        votesBegun: kept.begun + anew.begun,
        votesAnsweredWrong: kept.wrong + anew.wrong,
        uploads,
        pages: await pages.stop(),
        events: await events.stop(),
        seeded,
      }
    },
  }
}

/** What visitors and the owner look at. */
async function pagesOf({ owner, folders }: Seeded) {
  const [folder] = folders
  const share = `/api/share/${folder?.code}`
  const { cookie } = owner
  return [
    { path: '/' },
    { path: share },
    { path: `/api/photos/${folder?.photos[0]}/image` },
    { path: '/api/user', cookie },
    { path: '/api/folders', cookie },
    { path: `/api/folders/${folder?.id}/photos`, cookie },
  ]
}
