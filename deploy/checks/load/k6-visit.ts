import { sleep } from 'k6'
import exec from 'k6/execution'
import http, { type BatchRequests, type RefinedResponse, type ResponseType } from 'k6/http'
import { Counter, Trend } from 'k6/metrics'
import type { Options, Scenario } from 'k6/options'
import { checkTarget } from './target.ts'

// k6 script: whole visits to a share through the gateway (see run-visits.ts, which also checks the votes): the page and its
// files, the share, the pictures in the order of the page as a phone chooses them, three votes, and a return after a while.
// Logs one line of JSON per vote, as k6-vote.ts does. Settings, all from the environment:
// BASE_URL, on this machine unless ALLOW_REMOTE=yes; CODE: share code of a public folder; RUN: prefix of the fingerprints;
// RATE visits a second begin for SECONDS, or PEOPLE visitors come within ARRIVE seconds; RETURN: seconds until the return;
// ADDRESS=each: every visitor has an address of its own, if the target trusts this machine as a proxy; SUMMARY: file for k6's
// figures as JSON.
const baseUrl = checkTarget(__ENV.BASE_URL ?? 'http://127.0.0.1:8080', __ENV.ALLOW_REMOTE)
const code = __ENV.CODE ?? ''
const seconds = Number(__ENV.SECONDS ?? 20)
const rate = Number(__ENV.RATE ?? 5)
const people = Number(__ENV.PEOPLE ?? 0)
const arriveWithin = Number(__ENV.ARRIVE ?? 10)
const returnAfter = Number(__ENV.RETURN ?? 15)
const run = __ENV.RUN ?? `visit-${Date.now()}`

const completed = new Counter('visits_completed')
/** Responses with 429 or 503, and other unexpected ones. */
const refused = new Counter('visits_refused')
const unexpected = new Counter('visits_unexpected')
/** Pictures that came again at the return, although they had not changed. */
const sentAgain = new Counter('visits_sent_again')
const pictures = new Counter('visits_pictures')
const firstScreen = new Trend('visits_first_screen', true)
const allPictures = new Trend('visits_all_pictures', true)

/** What browsers open to one host. */
const CONNECTIONS = 6
const PICTURES_OF_FIRST_SCREEN = 3

const arrivals: Scenario = {
  executor: 'constant-arrival-rate',
  rate,
  timeUnit: '1s',
  duration: `${seconds}s`,
  preAllocatedVUs: Math.ceil(rate * (returnAfter + 2)),
  maxVUs: Math.ceil(rate * (returnAfter + 30)),
  gracefulStop: `${returnAfter + 30}s`,
}
const crowd: Scenario = {
  executor: 'per-vu-iterations',
  vus: people,
  iterations: 1,
  maxDuration: `${arriveWithin + returnAfter + 60}s`,
}

export const options: Options = {
  scenarios: { visits: people > 0 ? crowd : arrivals },
  batch: CONNECTIONS,
  batchPerHost: CONNECTIONS,
  // Every visitor is a new one, with connections of its own.
  noVUConnectionReuse: true,
  thresholds: {
    visits_completed: ['count>0'],
    visits_refused: ['count==0'],
    visits_unexpected: ['count==0'],
    visits_sent_again: ['count==0'],
    dropped_iterations: ['count==0'],
  },
  summaryTrendStats: ['med', 'p(95)', 'p(99)', 'max'],
}

type Answer = RefinedResponse<ResponseType | undefined>

/** A visitor's requests, with its headers. */
class Visitor {
  readonly headers: Record<string, string>
  constructor(headers: Record<string, string>) {
    this.headers = headers
  }

  /** Loads over several connections. Earlier answers are revalidated; their bodies are not kept. */
  load(paths: string[], known: Map<string, string>, expected: number): Answer[] {
    const requests = paths.map((path) => {
      const etag = known.get(path)
      const headers = { ...this.headers, 'accept-encoding': 'gzip, br', ...(etag && { 'if-none-match': etag }) }
      return { method: 'GET', url: baseUrl + path, params: { headers, responseType: 'none', timeout: '20s' } }
    })
    const answers = http.batch(requests as unknown as BatchRequests) as unknown as Answer[]
    for (const [index, answer] of answers.entries()) {
      note(answer, expected)
      known.set(paths[index] as string, answer.headers.Etag ?? '')
    }
    return answers
  }

  /** Reads a text. */
  read(path: string, known: Map<string, string>): Answer {
    const etag = known.get(path)
    const headers = { ...this.headers, 'accept-encoding': 'gzip', ...(etag && { 'if-none-match': etag }) }
    const answer = http.get(baseUrl + path, { headers, timeout: '20s' }) as Answer
    note(answer, answer.status === 304 ? 304 : 200)
    known.set(path, answer.headers.Etag ?? '')
    return answer
  }
}

function note({ status }: Answer, expected: number): void {
  if (status === expected) return
  if (expected === 304 && status === 200) sentAgain.add(1)
  else if (status === 429 || status === 503) refused.add(1)
  else unexpected.add(1)
}

interface Photo {
  id: number
  width: number | null
  height: number | null
  smallUrl?: string | null
  thumbnailUrl: string | null
  mediumUrl?: string | null
  previewUrl: string | null
}

/** The width of a card on a phone in CSS pixels, and pixels per CSS pixel of common phones. */
const CARD_WIDTH = 358
const DENSITIES = [1.75, 2, 3]

/** The bounds into which renditions fit. */
const BOUNDS: [key: 'smallUrl' | 'thumbnailUrl' | 'mediumUrl' | 'previewUrl', width: number, height: number][] = [
  ['smallUrl', 320, 640],
  ['thumbnailUrl', 640, 1280],
  ['mediumUrl', 1280, 2048],
  ['previewUrl', 2048, 2048],
]

/** The narrowest rendition that fills the card, as a browser chooses from `srcset`. */
function renditionFor(photo: Photo, density: number): string | null {
  const size = { width: photo.width ?? 2048, height: photo.height ?? 2048 }
  const found = BOUNDS.flatMap(([key, width, height]) => {
    const url = photo[key]
    const scale = Math.min(width / size.width, height / size.height, 1)
    return url ? [{ url, width: size.width * scale }] : []
  })
  return (found.find(({ width }) => width >= CARD_WIDTH * density) ?? found[found.length - 1])?.url ?? null
}

const RANKS = ['first', 'second', 'third'] as const

/** Gives three photos a rank, one after the other. */
function voteThrice(visitor: Visitor, voter: string, folderId: number, photos: Photo[]): void {
  const start = Math.floor(Math.random() * photos.length)
  for (const [index, rank] of RANKS.entries()) {
    const photo = photos[(start + index) % photos.length] as Photo
    const at = Date.now()
    const body = JSON.stringify({ fingerprint: voter, rank, folderId, shareCode: code })
    const headers = { ...visitor.headers, 'content-type': 'application/json' }
    const answer = http.post(`${baseUrl}/api/photos/${photo.id}/rank`, body, { headers, timeout: '20s' })
    note(answer as Answer, 200)
    const ranks = answer.status === 200 ? (answer.json('rankings') as unknown as Record<string, number>) : null
    const returned = ranks && [ranks.first, ranks.second, ranks.third]
    const line = [
      voter,
      folderId,
      photo.id,
      index + 1,
      answer.status,
      returned,
      at,
      Math.round(answer.timings.duration),
    ]
    console.log(JSON.stringify(line))
  }
}

/** The addresses of scripts and styles that the page names. */
function assetsOf(html: string): string[] {
  return [...new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string))]
}

function visitorHeaders(number: number): Record<string, string> {
  if (__ENV.ADDRESS !== 'each') return {}
  return { 'x-forwarded-for': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}` }
}

/** Loads the pictures of the first screen, then the others. */
function loadPictures(visitor: Visitor, paths: string[], known: Map<string, string>, expected: number): void {
  const began = Date.now()
  visitor.load(paths.slice(0, PICTURES_OF_FIRST_SCREEN), known, expected)
  if (expected === 200) firstScreen.add(Date.now() - began)
  visitor.load(paths.slice(PICTURES_OF_FIRST_SCREEN), known, expected)
  if (expected === 200) allPictures.add(Date.now() - began)
  pictures.add(paths.length)
}

export default function visit(): void {
  if (people > 0) sleep((arriveWithin * (exec.vu.idInTest - 1)) / people)
  const visitor = new Visitor(visitorHeaders(exec.scenario.iterationInTest + 1))
  visitShare(visitor, `${run}-${exec.scenario.iterationInTest}`)
  completed.add(1)
}

function visitShare(visitor: Visitor, voter: string): void {
  const known = new Map<string, string>()
  const address = { page: `/share/${code}`, share: `/api/share/${code}?fingerprint=${voter}` }
  const page = visitor.read(address.page, known)
  visitor.load(assetsOf(String(page.body)), known, 200)
  const share = visitor.read(address.share, known)
  if (share.status !== 200) return
  const { folder, photos } = share.json() as unknown as { folder: { id: number }; photos: Photo[] }
  const density = DENSITIES[exec.scenario.iterationInTest % DENSITIES.length] as number
  const shown = photos.flatMap((photo) => renditionFor(photo, density) ?? [])
  loadPictures(visitor, shown, known, 200)
  voteThrice(visitor, voter, folder.id, photos)
  sleep(returnAfter)
  visitor.read(address.page, known)
  visitor.read(address.share, known)
  loadPictures(visitor, shown, known, 304)
}

/** Writes k6's figures for the runner, which prints a summary. */
export function handleSummary(data: object): Record<string, string> {
  return { [__ENV.SUMMARY ?? 'stdout']: JSON.stringify(data, null, 2) }
}
