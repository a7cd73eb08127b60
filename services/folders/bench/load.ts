// A lightweight load generator, run as its own process: votes of many voters over keep-alive connections, a page, or a
// list of requests. Its argument and its output are JSON.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createLinkCookies } from '@skyfolio/kit'
import { createVoterIdentity } from '../src/voting/voter-identity.ts'
import { CONNECTIONS, FOLDERS, type FolderName, VOTER_KEY } from './system.ts'

/** A GET request of a list, and the response that it must get. */
export interface ListedRequest {
  path: string
  headers?: Record<string, string>
  status: number
  /** Length of the body. */
  bytes: number
}

export interface Load {
  port: number
  /** The longest time, with `once`. */
  seconds: number
  /** Requests per second; unlimited by default. */
  rate?: number
  connections?: number
  /** The folder of the votes; the small one by default. */
  folder?: FolderName
  /** Requests this page instead of voting. */
  path?: string
  gzip?: boolean
  /** A file with `ListedRequest`s as JSON, which are sent in turn instead of votes. */
  list?: string
  /** Each request of the list exactly once. */
  once?: boolean
}

export interface LoadResult {
  /** Responses with 200 or 304. */
  perSecond: number
  /** Milliseconds; with a rate from when a request was due, so that a delayed response hides nothing, after the first second. */
  p50: number
  p99: number
  /** Size of the last response body. */
  bytes: number
  /** CPU milliseconds of the generator per request. */
  cpu: number
  /** Responses by status. */
  statuses: Record<string, number>
  /** Responses to requests of a list with another status or length than listed. */
  wrong: number
}

const options: Load = JSON.parse(process.argv[2] ?? '{}')
const { port, seconds, rate = 0, connections = CONNECTIONS, folder = 'small', path, gzip, once = false } = options
const { id: folderId, firstPhoto, photos } = FOLDERS[folder]
const VOTERS = 20_000
/** Longer than any response's head. */
const HEAD_CHARACTERS = 4000
const RANKS = ['first', 'second', 'third']
const random = (below: number) => Math.floor(Math.random() * below)

const signer = createVoterIdentity([VOTER_KEY], { secure: false })
const voters = Array.from({ length: options.list ? 1 : VOTERS }, () => ({
  fingerprint: randomBytes(16).toString('base64url'),
  token: signer.newToken(),
}))

const cookies = createLinkCookies([VOTER_KEY], false)
const linkCookies = [cookies.opened, cookies.unlocked].map(
  (cookie) => `; ${cookie.add(undefined, [folderId, 1])?.split(';')[0]}`,
)
/** Of those who have entered the password of the link. */
const unlocked = folder === 'locked' ? linkCookies.join('') : ''

interface Request {
  text: string
  expected?: ListedRequest
}

function vote(): Request {
  const voter = voters[random(VOTERS)]
  const body = `{"fingerprint":"${voter?.fingerprint}","rank":"${RANKS[random(3)]}","folderId":${folderId}}`
  const text = `POST /api/photos/${firstPhoto + random(photos)}/rank HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: voter=${voter?.token}${unlocked}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  return { text }
}

function page(): Request {
  const encoding = gzip ? 'Accept-Encoding: gzip, deflate\r\n' : ''
  return {
    text: `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${encoding}Cookie: voter=${voters[0]?.token}\r\n\r\n`,
  }
}

function listed(expected: ListedRequest): Request {
  const headers = Object.entries(expected.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
  return { expected, text: `GET ${expected.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers.join('')}\r\n` }
}

const list: Request[] = options.list ? JSON.parse(readFileSync(options.list, 'utf8')).map(listed) : []
let position = 0

/** The next request; undefined when all of the list were sent once. */
function nextRequest(): Request | undefined {
  if (!options.list) return path ? page() : vote()
  if (position === list.length && !once) position = 0
  return list[position++]
}

/** The status, the offset of the response body and the total length; null while the head is incomplete. */
function parseHead(head: string): { status: number; body: number; total: number } | null {
  const end = head.indexOf('\r\n\r\n')
  if (end < 0) return null
  const status = Number(head.slice(9, 12))
  const length = status === 304 ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`response without a length: ${head.slice(0, 300)}`)
  return { status, body: end + 4, total: end + 4 + Number(length) }
}

const latencies: number[] = []
let bytes = 0
let wrong = 0
let last = 0
/** While all connections open and the generator's code is compiled, late requests are its own fault: they do not count. */
const UNCOUNTED_MS = 1000
const statuses: Record<string, number> = {}
const idle: ((due: number) => void)[] = []
const started = performance.now()
const cpuBefore = process.cpuUsage()
const ends = started + seconds * 1000 + (rate > 0 ? UNCOUNTED_MS : 0)

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = 0
    let response: ReturnType<typeof parseHead> = null
    let head = ''
    let request: Request | undefined
    let since = 0
    let ended = false
    const send = (due: number) => {
      request = performance.now() < ends ? nextRequest() : undefined
      if (!request) {
        ended = true
        return socket.end()
      }
      since = due
      socket.write(request.text)
    }
    const next = () => {
      const now = performance.now()
      if (rate === 0 || now >= ends) return send(now)
      idle.push(send)
    }
    socket.on('connect', next)
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (!response) {
        head += chunk.toString('latin1', 0, HEAD_CHARACTERS)
        response = parseHead(head)
      }
      if (!response || received < response.total) return
      last = performance.now()
      if (rate === 0 || since >= started + UNCOUNTED_MS) latencies.push(last - since)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      bytes = response.total - response.body
      const expected = request?.expected
      if (expected && (expected.status !== response.status || expected.bytes !== bytes)) wrong += 1
      received = 0
      response = null
      head = ''
      next()
    })
    socket.on('error', reject)
    socket.on('close', () => (ended ? resolve() : reject(new Error('the server closed a connection'))))
  })
}

/** Starts requests at the given rate, evenly spaced. */
function scheduleAtRate(): void {
  let sent = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1000) * rate
    for (; sent < due && idle.length > 0; sent += 1) idle.shift()?.(started + (sent * 1000) / rate)
    if (performance.now() < ends) return
    clearInterval(timer)
    for (const send of idle.splice(0)) send(performance.now())
  }, 2)
}

if (rate > 0) scheduleAtRate()
await Promise.all(Array.from({ length: connections }, open))
latencies.sort((a, b) => a - b)
const { user, system } = process.cpuUsage(cpuBefore)
const requests = Object.values(statuses).reduce((sum, count) => sum + count, 0)
const result: LoadResult = {
  perSecond: ((statuses[200] ?? 0) + (statuses[304] ?? 0)) / (((once ? last : ends) - started) / 1000),
  p50: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
  p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  bytes,
  cpu: (user + system) / 1000 / requests,
  statuses,
  wrong,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
