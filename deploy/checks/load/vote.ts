import { fail } from 'k6'
import exec from 'k6/execution'
import http, { type Response } from 'k6/http'
import { Counter } from 'k6/metrics'
import type { Options, Scenario } from 'k6/options'
import { loadTarget } from './target.ts'

// Votes of strangers through the public door, run by k6 (see run-votes.ts, which also checks afterwards). Each vote
// becomes one line of JSON on the console: [voter, folder, photo, place, status, answered places, sent at, milliseconds].
// Settings, all from the environment:
// BASE_URL, on this machine unless ALLOW_REMOTE=yes; CODES: share codes of public folders, separated by commas;
// SCENARIO: steady, ramp, spike, folders or noisy; RATE: votes a second; SECONDS; VOTERS: how many there are about;
// RUN: the beginning of their fingerprints, another one for every run; LOAD_TEST_TOKEN, where the target has a key for it;
// FORWARD=yes: every voter has an address of its own, where the target trusts this machine as a proxy;
// P95_MS: threshold of the answers' times; SUMMARY: file for k6's figures as JSON.
const baseUrl = loadTarget(__ENV.BASE_URL ?? 'http://127.0.0.1:8080', __ENV.ALLOW_REMOTE)
const codes = (__ENV.CODES ?? '').split(',').filter(Boolean)
const seconds = bounded('SECONDS', 60, 600)
const rate = bounded('RATE', 100, 5000)
const voters = bounded('VOTERS', Math.max(1000, 4 * rate), 50_000)
const p95 = bounded('P95_MS', 1000, 60_000)
const run = __ENV.RUN ?? `load-${Date.now()}`
if (codes.length === 0) throw new Error('CODES is needed: share codes of public folders, separated by commas.')

const acknowledged = new Counter('votes_acknowledged')
const limited = new Counter('votes_limited')
/** Answers that no vote should get, whatever the load is. */
const wrong = new Counter('votes_answered_wrong')

const mostAtOnce = Math.min(Math.max(Math.ceil(rate / 2), 20), 400)
const votersEach = Math.ceil(voters / mostAtOnce)

interface Flow {
  /** Votes a second at the beginning, and then in stages: part of SECONDS, votes a second. */
  from: number
  stages: [part: number, rate: number][]
  exec?: string
  /** Number of the folder that all votes go to; without it each goes to the next one. */
  folder?: number
}

/** So many votes a second from the first to the last moment. */
const even = (level: number): Pick<Flow, 'from' | 'stages'> => ({ from: level, stages: [[1, level]] })
const calm = Math.max(1, Math.round(rate / 10))

const flowsOf: Record<string, Record<string, Flow>> = {
  steady: { votes: { ...even(rate), folder: 0 } },
  ramp: { votes: { from: calm, stages: [[1, rate]], folder: 0 } },
  // A link is posted to a club of thousands, while people vote elsewhere too.
  spike: {
    votes: even(calm),
    spike: {
      from: 1,
      stages: [
        [0.3, 1],
        [0.02, rate],
        [0.3, rate],
        [0.02, 1],
        [0.36, 1],
      ],
      folder: 0,
    },
  },
  folders: { votes: even(rate) },
  noisy: { votes: even(calm), noise: { ...even(rate), exec: 'noise', folder: 0 } },
}
const flows = flowsOf[__ENV.SCENARIO ?? 'steady']
if (!flows) throw new Error(`SCENARIO is ${__ENV.SCENARIO}; it must be one of ${Object.keys(flowsOf).join(', ')}.`)

function scenarioOf({ from, stages, exec: name, folder }: Flow): Scenario {
  return {
    executor: 'ramping-arrival-rate',
    startRate: from,
    timeUnit: '1s',
    stages: stages.map(([part, target]) => ({ duration: `${Math.round(part * seconds * 1000)}ms`, target })),
    preAllocatedVUs: Math.ceil(mostAtOnce / 4),
    maxVUs: mostAtOnce,
    gracefulStop: '30s',
    exec: name ?? 'vote',
    env: folder === undefined ? {} : { FOLDER: String(folder) },
  }
}

/** At the break a system may refuse; everywhere else every voter gets an answer in time. */
function thresholds(): Record<string, string[]> {
  const always = { votes_acknowledged: ['count>0'], votes_answered_wrong: ['count==0'] }
  if (__ENV.SCENARIO === 'ramp') return always
  const served = {
    'http_req_failed{scenario:votes}': ['rate==0'],
    'http_req_duration{scenario:votes}': [`p(95)<${p95}`],
  }
  return { ...always, ...served, ...(__ENV.SCENARIO === 'noisy' && { votes_limited: ['count>0'] }) }
}

export const options: Options = {
  scenarios: Object.fromEntries(Object.entries(flows).map(([name, flow]) => [name, scenarioOf(flow)])),
  thresholds: thresholds(),
  summaryTrendStats: ['med', 'p(95)', 'p(99)', 'max'],
}

/** A number of the environment from 1 to `most`. */
function bounded(name: string, otherwise: number, most: number): number {
  const value = Number(__ENV[name] ?? otherwise)
  if (value >= 1 && value <= most) return value
  throw new Error(`${name} is ${__ENV[name]}; it must be a number from 1 to ${most}.`)
}

interface Folder {
  id: number
  photos: number[]
}

/** Opens each shared folder as a visitor does. */
export function setup(): Folder[] {
  return codes.map((code) => {
    const answer = http.get(`${baseUrl}/api/share/${code}`)
    if (answer.status !== 200) fail(`The share ${code} answered ${answer.status}: ${answer.body}`)
    const { folder, photos } = answer.json() as unknown as { folder: { id: number }; photos: { id: number }[] }
    if (photos.length === 0) fail(`The share ${code} has no photos.`)
    return { id: folder.id, photos: photos.map(({ id }) => id) }
  })
}

const ranks = ['', 'first', 'second', 'third'] as const
/** The voter tokens of this VU's voters, as their browsers keep them. */
const tokens = new Map<string, string>()
let turn = 0

/** One vote of one of this VU's voters. No other VU has them, so each voter's votes come one after the other. */
export function vote(folders: Folder[]): void {
  const number = turn++ % votersEach
  const voter = `${run}-${exec.vu.idInTest}-${number}`
  const headers: Record<string, string> = {}
  if (__ENV.LOAD_TEST_TOKEN) headers['x-skyfolio-load-test'] = __ENV.LOAD_TEST_TOKEN
  if (__ENV.FORWARD === 'yes') {
    headers['x-forwarded-for'] = `10.${exec.vu.idInTest >> 8}.${exec.vu.idInTest & 255}.${1 + (number % 250)}`
  }
  const token = tokens.get(voter)
  if (token) headers.cookie = `voter=${token}`
  const answer = send(folders, voter, headers)
  const given = answer.cookies.voter?.[0]?.value
  if (given) tokens.set(voter, given)
}

/** One address makes up a voter for each vote. */
export function noise(folders: Folder[]): void {
  const headers: Record<string, string> = __ENV.FORWARD === 'yes' ? { 'x-forwarded-for': '203.0.113.9' } : {}
  send(folders, `${run}-noise-${exec.vu.idInTest}-${turn++}`, headers)
}

function send(folders: Folder[], voter: string, headers: Record<string, string>): Response {
  const index = __ENV.FOLDER ?? exec.scenario.iterationInTest % folders.length
  const folder = folders[Number(index)] as Folder
  const photo = folder.photos[Math.floor(Math.random() * folder.photos.length)] as number
  // One vote in ten takes a photo off the ballot.
  const place = Math.random() < 0.1 ? 0 : 1 + Math.floor(Math.random() * 3)
  const at = Date.now()
  const answer = http.post(
    `${baseUrl}/api/photos/${photo}/rank`,
    JSON.stringify({ fingerprint: voter, rank: ranks[place], folderId: folder.id }),
    { headers: { ...headers, 'content-type': 'application/json' }, tags: { name: 'vote' }, timeout: '20s' },
  )
  note(answer)
  const places = answer.status === 200 ? (answer.json('rankings') as unknown as Record<string, number>) : null
  const answered = places && [places.first, places.second, places.third]
  const took = Math.round(answer.timings.duration)
  console.log(JSON.stringify([voter, folder.id, photo, place, answer.status, answered, at, took]))
  return answer
}

function note(answer: Response): void {
  if (answer.status === 200) {
    acknowledged.add(1)
    return
  }
  if (answer.status === 429) limited.add(1)
  const refusal = answer.status === 429 || answer.status === 503
  if (!refusal || !Number(answer.headers['Retry-After'])) wrong.add(1)
}

/** k6's figures for the runner, which prints what matters. */
export function handleSummary(data: object): Record<string, string> {
  return { [__ENV.SUMMARY ?? 'stdout']: JSON.stringify(data, null, 2) }
}
