// A light load generator, run as a process of its own: votes of many voters over keep-alive connections.
// Arguments: port, seconds, votes a second (0: as many as the other side answers). Prints one line of JSON.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { createVoters } from '../src/voters.ts'
import { CONNECTIONS, FOLDER, PHOTOS, VOTER_KEY } from './world.ts'

export interface LoadResult {
  votesPerSecond: number
  p50: number
  p99: number
  /** Answers by status. */
  statuses: Record<string, number>
}

const [port = 0, seconds = 0, rate = 0] = process.argv.slice(2).map(Number)
const VOTERS = 20_000
const RANKS = ['first', 'second', 'third']
const random = (below: number) => Math.floor(Math.random() * below)

const signer = createVoters(VOTER_KEY, { secure: false })
const voters = Array.from({ length: VOTERS }, () => ({
  fingerprint: randomBytes(16).toString('base64url'),
  token: signer.newToken(),
}))

function request(): string {
  const voter = voters[random(VOTERS)]
  const body = `{"fingerprint":"${voter?.fingerprint}","rank":"${RANKS[random(3)]}","folderId":${FOLDER}}`
  return `POST /api/photos/${1 + random(PHOTOS)}/rank HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: voter=${voter?.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Whether the text holds one whole answer. */
function isComplete(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1]
  return length === undefined ? answer.endsWith('\r\n0\r\n\r\n') : answer.length >= end + 4 + Number(length)
}

const latencies: number[] = []
const statuses: Record<string, number> = {}
const idle: (() => void)[] = []
const started = performance.now()
const ends = started + seconds * 1000

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let answer = ''
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
    socket.setEncoding('latin1')
    socket.on('connect', next)
    socket.on('data', (chunk: string) => {
      answer += chunk
      if (!isComplete(answer)) return
      latencies.push(performance.now() - sent)
      const status = answer.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      answer = ''
      next()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

/** Hands out the votes of a given rate, evenly in time. */
function pace(): void {
  let given = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1000) * rate
    for (; given < due && idle.length > 0; given += 1) idle.shift()?.()
    if (performance.now() < ends) return
    clearInterval(timer)
    for (const send of idle.splice(0)) send()
  }, 2)
}

if (rate > 0) pace()
await Promise.all(Array.from({ length: CONNECTIONS }, open))
latencies.sort((a, b) => a - b)
const result: LoadResult = {
  votesPerSecond: (statuses['200'] ?? 0) / seconds,
  p50: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
  p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  statuses,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
