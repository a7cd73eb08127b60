// A lightweight load generator, run as its own process: votes of many voters over keep-alive connections, or a page.
// Its argument and its output are JSON.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { createVoterIdentity } from '../src/voting/voter-identity.ts'
import { CONNECTIONS, FOLDERS, type FolderName, VOTER_KEY } from './system.ts'

export interface Load {
  port: number
  seconds: number
  /** Requests per second; unlimited by default. */
  rate?: number
  /** The folder of the votes; the small one by default. */
  folder?: FolderName
  /** Requests this page instead of voting. */
  path?: string
  gzip?: boolean
}

export interface LoadResult {
  /** Responses with 200. */
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Size of the last response body. */
  bytes: number
  /** CPU milliseconds of the generator per request. */
  cpu: number
  /** Responses by status. */
  statuses: Record<string, number>
}

const { port, seconds, rate = 0, folder = 'small', path, gzip }: Load = JSON.parse(process.argv[2] ?? '{}')
const { id: folderId, firstPhoto, photos } = FOLDERS[folder]
const VOTERS = 20_000
const RANKS = ['first', 'second', 'third']
const random = (below: number) => Math.floor(Math.random() * below)

const signer = createVoterIdentity([VOTER_KEY], { secure: false })
const voters = Array.from({ length: VOTERS }, () => ({
  fingerprint: randomBytes(16).toString('base64url'),
  token: signer.newToken(),
}))

function vote(): string {
  const voter = voters[random(VOTERS)]
  const body = `{"fingerprint":"${voter?.fingerprint}","rank":"${RANKS[random(3)]}","folderId":${folderId}}`
  return `POST /api/photos/${firstPhoto + random(photos)}/rank HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: voter=${voter?.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function page(): string {
  const encoding = gzip ? 'Accept-Encoding: gzip, deflate\r\n' : ''
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${encoding}Cookie: voter=${voters[0]?.token}\r\n\r\n`
}

const request = path ? page : vote

/** The offset of the response body and the total length; null while the head is incomplete. */
function parseHead(head: string): { body: number; total: number } | null {
  const end = head.indexOf('\r\n\r\n')
  if (end < 0) return null
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`response without a length: ${head.slice(0, 300)}`)
  return { body: end + 4, total: end + 4 + Number(length) }
}

const latencies: number[] = []
let bytes = 0
const statuses: Record<string, number> = {}
const idle: (() => void)[] = []
const started = performance.now()
const cpuBefore = process.cpuUsage()
const ends = started + seconds * 1000

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = 0
    let response: ReturnType<typeof parseHead> = null
    let head = ''
    let sent = 0
    const send = () => {
      if (performance.now() >= ends) return socket.end()
      sent = performance.now()
      socket.write(request())
    }
    const next = () => {
      if (rate === 0 || performance.now() >= ends) return send()
      idle.push(send)
    }
    socket.on('connect', next)
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (!response) {
        head += chunk.toString('latin1', 0, 2000)
        response = parseHead(head)
      }
      if (!response || received < response.total) return
      latencies.push(performance.now() - sent)
      const status = head.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      bytes = response.total - response.body
      received = 0
      response = null
      head = ''
      next()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

/** Starts requests at the given rate, evenly spaced. */
function scheduleAtRate(): void {
  let sent = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1000) * rate
    for (; sent < due && idle.length > 0; sent += 1) idle.shift()?.()
    if (performance.now() < ends) return
    clearInterval(timer)
    for (const send of idle.splice(0)) send()
  }, 2)
}

if (rate > 0) scheduleAtRate()
await Promise.all(Array.from({ length: CONNECTIONS }, open))
latencies.sort((a, b) => a - b)
const { user, system } = process.cpuUsage(cpuBefore)
const result: LoadResult = {
  perSecond: (statuses['200'] ?? 0) / seconds,
  p50: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
  p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  bytes,
  cpu: (user + system) / 1000 / latencies.length,
  statuses,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
