import { fail } from 'k6'
import exec from 'k6/execution'
import http, { type Response } from 'k6/http'
import { Counter } from 'k6/metrics'
import type { Options, Scenario } from 'k6/options'
import { checkTarget } from './target.ts'

// k6 script: votes of visitors through the gateway (see run-votes.ts, which also checks the result). Logs one line of
// JSON per vote: [voter, folder, photo, rank, status, returned ranks, sent at, milliseconds].
// Settings, all from the environment:
// BASE_URL, on this machine unless ALLOW_REMOTE=yes; CODES: share codes of public folders, separated by commas;
// SCENARIO: steady, ramp, spike or folders; RATE: votes per second; SECONDS; VOTERS: approximate number of voters;
// RUN: prefix of their fingerprints, unique per run; LOAD_TEST_TOKEN, if the target has a key for it;
// SUMMARY: file for k6's figures as JSON.
const baseUrl = checkTarget(__ENV.BASE_URL ?? 'http://127.0.0.1:8080', __ENV.ALLOW_REMOTE)
const codes = (__ENV.CODES ?? '').split(',').filter(Boolean)
const seconds = readNumber('SECONDS', 60, 600)
const rate = readNumber('RATE', 100, 5000)
const voters = readNumber('VOTERS', Math.max(1000, 4 * rate), 50_000)
const run = __ENV.RUN ?? `load-${Date.now()}`
if (codes.length === 0) throw new Error('CODES is needed: share codes of public folders, separated by commas.')

const acknowledged = new Counter('votes_acknowledged')
const limited = new Counter('votes_limited')
/** Responses that no vote should get under any load. */
const unexpected = new Counter('votes_unexpected')

const maxVus = Math.min(Math.max(Math.ceil(rate / 2), 20), 400)
const votersPerVu = Math.ceil(voters / maxVus)

interface Flow {
  /** Votes per second at the start, and then in stages: part of SECONDS, votes per second. */
  from: number
  stages: [part: number, rate: number][]
  /** Index of the folder that all votes go to; without it they alternate. */
  folder?: number
}

/** A constant number of votes per second. */
const constantRate = (level: number): Pick<Flow, 'from' | 'stages'> => ({ from: level, stages: [[1, level]] })
const lowRate = Math.max(1, Math.round(rate / 10))

const FLOWS: Record<string, Record<string, Flow>> = {
  steady: { votes: { ...constantRate(rate), folder: 0 } },
  ramp: { votes: { from: lowRate, stages: [[1, rate]], folder: 0 } },
  // A link is posted to a club of thousands, while others vote in other folders.
  spike: {
    votes: constantRate(lowRate),
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
  folders: { votes: constantRate(rate) },
}
const flows = FLOWS[__ENV.SCENARIO ?? 'steady']
if (!flows) throw new Error(`SCENARIO is ${__ENV.SCENARIO}; it must be one of ${Object.keys(FLOWS).join(', ')}.`)

function scenarioOf({ from, stages, folder }: Flow): Scenario {
  return {
    executor: 'ramping-arrival-rate',
    startRate: from,
    timeUnit: '1s',
    stages: stages.map(([part, target]) => ({ duration: `${Math.round(part * seconds * 1000)}ms`, target })),
    preAllocatedVUs: Math.ceil(maxVus / 4),
    maxVUs: maxVus,
    gracefulStop: '30s',
    exec: 'vote',
    env: folder === undefined ? {} : { FOLDER: String(folder) },
  }
}

export const options: Options = {
  scenarios: Object.fromEntries(Object.entries(flows).map(([name, flow]) => [name, scenarioOf(flow)])),
  thresholds: {
    votes_acknowledged: ['count>0'],
    votes_unexpected: ['count==0'],
    'http_req_failed{scenario:votes}': ['rate==0'],
    'http_req_duration{scenario:votes}': ['p(95)<1000'],
  },
  summaryTrendStats: ['med', 'p(95)', 'p(99)', 'max'],
}

/** Reads a number from 1 to `max` from the environment. */
function readNumber(name: string, fallback: number, max: number): number {
  const value = Number(__ENV[name] ?? fallback)
  if (value >= 1 && value <= max) return value
  throw new Error(`${name} is ${__ENV[name]}; it must be a number from 1 to ${max}.`)
}

interface Folder {
  id: number
  photos: number[]
}

/** Reads each share page as a visitor does. */
export function setup(): Folder[] {
  return codes.map((code) => {
    const response = http.get(`${baseUrl}/api/share/${code}`)
    if (response.status !== 200) fail(`The share ${code} returned ${response.status}: ${response.body}`)
    const { folder, photos } = response.json() as unknown as { folder: { id: number }; photos: { id: number }[] }
    if (photos.length === 0) fail(`The share ${code} has no photos.`)
    return { id: folder.id, photos: photos.map(({ id }) => id) }
  })
}

const RANKS = ['', 'first', 'second', 'third'] as const
let iteration = 0

/** Casts a vote of one of this VU's voters. No other VU shares them, so the votes of a voter are sequential. */
export function vote(folders: Folder[]): void {
  const number = iteration++ % votersPerVu
  const voter = `${run}-${exec.vu.idInTest}-${number}`
  const headers: Record<string, string> = {}
  if (__ENV.LOAD_TEST_TOKEN) headers['x-skyfolio-load-test'] = __ENV.LOAD_TEST_TOKEN
  const index = __ENV.FOLDER ?? exec.scenario.iterationInTest % folders.length
  const folder = folders[Number(index)] as Folder
  const photo = folder.photos[Math.floor(Math.random() * folder.photos.length)] as number
  // One vote in ten removes a photo from the ballot.
  const rank = Math.random() < 0.1 ? 0 : 1 + Math.floor(Math.random() * 3)
  const at = Date.now()
  const response = http.post(
    `${baseUrl}/api/photos/${photo}/rank`,
    JSON.stringify({ fingerprint: voter, rank: RANKS[rank], folderId: folder.id }),
    { headers: { ...headers, 'content-type': 'application/json' }, tags: { name: 'vote' }, timeout: '20s' },
  )
  countResponse(response)
  const ranks = response.status === 200 ? (response.json('rankings') as unknown as Record<string, number>) : null
  const returned = ranks && [ranks.first, ranks.second, ranks.third]
  const durationMs = Math.round(response.timings.duration)
  console.log(JSON.stringify([voter, folder.id, photo, rank, response.status, returned, at, durationMs]))
}

function countResponse(response: Response): void {
  if (response.status === 200) {
    acknowledged.add(1)
    return
  }
  if (response.status === 429) limited.add(1)
  const isRejection = response.status === 429 || response.status === 503
  if (!isRejection || !Number(response.headers['Retry-After'])) unexpected.add(1)
}

/** Writes k6's figures for the runner, which prints a summary. */
export function handleSummary(data: object): Record<string, string> {
  return { [__ENV.SUMMARY ?? 'stdout']: JSON.stringify(data, null, 2) }
}
