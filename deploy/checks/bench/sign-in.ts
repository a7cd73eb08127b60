// `npm run check -- bench:sign-in [--rate 60 --votes 100 --seconds 20 --rounds 2]`: how much sign-ins, each of which costs
// 19 MiB and 12 ms of a processor, slow votes down. k6 votes through the gateway of a system of its own, in
// turns without and with sign-ins of as many users a second. Prints Markdown.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { type Arrival, constantArrivals } from '../load/arrivals.ts'
import { type LoggedVote, readVotes } from '../load/check-votes.ts'
import { runK6 } from '../load/run-k6.ts'
import { seedFolders } from '../load/seed-folders.ts'
import { quantile } from '../load/vote-figures.ts'

const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string', default: '60' },
    votes: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '2' },
  },
})
const rate = bounded('rate', flags.rate, 200)
const votesPerSecond = bounded('votes', flags.votes, 2_000)
const seconds = bounded('seconds', flags.seconds, 120)
const rounds = bounded('rounds', flags.rounds, 5)

/** A user signs in every two seconds; each from an address of its own, as if through a proxy. */
const ACCOUNTS = 2 * rate
const PASSWORD = 'a long enough password'
/** A sign-in that takes longer is not in time. */
const IN_TIME_MS = 1_000
const WARM_UP_SECONDS = 3
/** Votes begin this long before the sign-ins, and end after them. */
const MARGIN_SECONDS = 2

function bounded(name: string, text: string, max: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new Error(`--${name} must be a whole number from 1 to ${max}.`)
}

const addressOf = (account: number) => `198.18.${account >> 8}.${account & 255}`

function post(url: string, path: string, account: number, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': addressOf(account) }
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(30_000) })
}

async function registerAccounts(url: string): Promise<void> {
  for (let account = 0; account < ACCOUNTS; account += 1) {
    const fields = { username: `signs-in-${account}`, password: PASSWORD, confirmPassword: PASSWORD }
    const response = await post(url, '/api/register', account, fields)
    if (response.status !== 201) throw new Error(`An account could not be registered: ${await response.text()}`)
  }
}

/** The status of a sign-in; 0 without a response. */
async function signIn(url: string, number: number): Promise<number> {
  const account = number % ACCOUNTS
  try {
    const response = await post(url, '/api/login', account, { username: `signs-in-${account}`, password: PASSWORD })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

interface Phase {
  /** Sent while the sign-ins arrived, or for as long without them. */
  votes: LoggedVote[]
  signIns: Arrival<number>[]
}

async function runPhase(system: LaunchedSystem, folder: string, codes: string, withSignIns: boolean): Promise<Phase> {
  const output = join(folder, `votes-${randomBytes(4).toString('hex')}`)
  const voting = runK6('deploy/checks/load/k6-vote.ts', output, seconds + 2 * MARGIN_SECONDS, {
    BASE_URL: system.url,
    CODES: codes,
    SCENARIO: 'folders',
    SECONDS: String(seconds + 2 * MARGIN_SECONDS),
    RATE: String(votesPerSecond),
    RUN: `signs-in-${randomBytes(4).toString('hex')}`,
    FORWARD: 'yes',
    // Crossing the threshold of the load test is not what is measured.
    P95_MS: '60000',
    SUMMARY: `${output}.json`,
  })
  const firstVote = waitForFirstVote(output)
  await Promise.race([voting, firstVote])
  const from = (await firstVote) + MARGIN_SECONDS * 1000
  await new Promise((resolve) => setTimeout(resolve, from - Date.now()))
  const signIns = withSignIns
    ? await constantArrivals({ perSecond: rate, seconds }, (number) => signIn(system.url, number))
    : []
  await voting
  const votes = readVotes(await readFile(output, 'utf8'))
  return { votes: votes.filter(({ at }) => at >= from && at < from + seconds * 1000), signIns }
}

/** When k6 logged the first vote. */
async function waitForFirstVote(output: string): Promise<number> {
  for (;;) {
    const text = await readFile(output, 'utf8').catch(() => '')
    const [line] = text.split('\n', 1)
    if (line && text.includes('\n')) return readVotes(line)[0]?.at ?? Date.now()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const times = (votes: LoggedVote[]) => votes.map(({ durationMs }) => durationMs)

function describeVotes(votes: LoggedVote[]): string {
  const failed = votes.filter(({ status }) => status !== 200).length
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(times(votes), part).toFixed(0))
  return `${votes.length} | ${failed} | ${p50} | ${p95} | ${p99}`
}

function describeSignIns(signIns: Arrival<number>[]): string {
  const answered = signIns.filter(({ outcome }) => outcome === 200)
  const inTime = answered.filter(({ milliseconds }) => milliseconds <= IN_TIME_MS)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) =>
    quantile(
      answered.map(({ milliseconds }) => milliseconds),
      part,
    ).toFixed(0),
  )
  const statuses = [...Map.groupBy(signIns, ({ outcome }) => outcome)]
  const others = statuses
    .filter(([status]) => status !== 200)
    .map(([status, some]) => `${some.length} × ${status || 'no response'}`)
  const share = ((100 * inTime.length) / signIns.length).toFixed(1)
  return (
    `${signIns.length} sign-ins: ${share} % within ${IN_TIME_MS} ms; p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms` +
    (others.length > 0 ? `; not signed in: ${others.join(', ')}` : '')
  )
}

const folder = await mkdtemp(join(tmpdir(), 'skyfolio-sign-in-'))
const system = await launchSystem(folder, { TRUSTED_PROXIES: '127.0.0.1' })
try {
  await registerAccounts(system.url)
  const account = { username: 'owner-of-votes', password: PASSWORD }
  const { folders } = await seedFolders(system.url, account, { folders: 3, photos: 12 })
  const codes = folders.map(({ code }) => code).join(',')
  await constantArrivals({ perSecond: 5, seconds: WARM_UP_SECONDS }, (number) => signIn(system.url, number))

  const without: LoggedVote[] = []
  const beside: LoggedVote[] = []
  const signIns: Arrival<number>[] = []
  const ratios: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const alone = await runPhase(system, folder, codes, false)
    const both = await runPhase(system, folder, codes, true)
    without.push(...alone.votes)
    beside.push(...both.votes)
    signIns.push(...both.signIns)
    ratios.push((quantile(times(both.votes), 0.99) / quantile(times(alone.votes), 0.99)).toFixed(1))
  }
  const ratio = quantile(times(beside), 0.99) / quantile(times(without), 0.99)
  console.log(`| ${votesPerSecond} votes a second | votes | failed | p50, ms | p95, ms | p99, ms |
| --- | ---: | ---: | ---: | ---: | ---: |
| alone | ${describeVotes(without)} |
| beside ${rate} sign-ins a second | ${describeVotes(beside)} |

p99 of votes with sign-ins to that without: ${ratio.toFixed(1)} (rounds: ${ratios.join(', ')})
${describeSignIns(signIns)}`)
} finally {
  await system.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
