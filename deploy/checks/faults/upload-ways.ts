import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { declareFile, partOf } from '../declared-file.ts'
import { inParallel } from '../harness.ts'
import { createForm } from '../load/multipart.ts'
import { between, type Random, shuffled } from './random.ts'
import type { UploadFile } from './upload-files.ts'

export interface UploadOptions {
  /** Where requests are sent to: the gateway, or a proxy in front of it. */
  url: string
  /** Without the content type. */
  headers: Record<string, string>
  folderId: number | null
  random: Random
  bytesPerSecond: number
  /** Called with each response: its status, or an error message. */
  count: (response: string) => void
  isLate(): boolean
}

/** What became of a file: a photo, a rejection with its text, or null: to be sent again. */
export type UploadOutcome = { photoId: number } | { rejection: string } | null

/** Sends files once. Outcomes are in the order of the files. */
export type UploadWay = (files: UploadFile[], options: UploadOptions) => Promise<UploadOutcome[]>

/** Sends the files until each has an outcome; null when time ran out. */
export async function uploadWithRetries(
  files: UploadFile[],
  way: UploadWay,
  options: UploadOptions,
): Promise<UploadOutcome[]> {
  const outcomes: UploadOutcome[] = files.map(() => null)
  for (;;) {
    const waiting = [...files.entries()].filter(([index]) => outcomes[index] === null)
    const latest = await way(
      waiting.map(([, file]) => file),
      options,
    )
    for (const [place, [index]] of waiting.entries()) outcomes[index] = latest[place] ?? null
    if (!outcomes.includes(null) || options.isLate()) return outcomes
    await delay(between(options.random, 500, 2_000))
  }
}

/** Sends all files in one form. */
export async function asForm(files: UploadFile[], options: UploadOptions): Promise<UploadOutcome[]> {
  const boundary = `----${randomUUID()}`
  const pieces = files.map(({ name, bytes }) => ({ name, pieces: [bytes] }))
  const body = Buffer.concat(createForm(boundary, 'photos', pieces, { folderId: String(options.folderId ?? 'none') }))
  const headers = { ...options.headers, 'content-type': `multipart/form-data; boundary=${boundary}` }
  const url = `${options.url}/api/upload-photos`
  const response = await send('', options, { method: 'POST', url, headers, body })
  if (!response || response.status >= 500 || response.status === 429) return []
  const problem = `${response.status} ${response.body.slice(0, 300)}`
  const answer = parsed<{ files: { photoId: number | null; issue: string | null }[] }>(response)
  if (!answer) return files.map(() => ({ rejection: problem }))
  return answer.files.map(({ photoId, issue }, index) => {
    if (photoId !== null) return { photoId }
    // A good file with an issue could not be stored just now.
    return files[index]?.outcome === 'rejected' ? { rejection: issue ?? '' } : null
  })
}

interface Session {
  id: string
  partBytes: number
  missing: number[] | null
  uploads: { number: number; url: string; headers: Record<string, string> }[] | null
}

type CreateResult =
  | { state: 'known'; photoId: number }
  | { state: 'open' | 'completed'; session: Session }
  | { state: 'rejected'; issue: string; code?: string }

const PARTS_AT_ONCE = 2

/**
 * Declares the files together, sends what is missing in any order, through the gateway or straight to the store, and completes
 * their sessions. When it is called again, it declares again, as a browser does that was closed meanwhile.
 */
export async function inParts(files: UploadFile[], options: UploadOptions): Promise<UploadOutcome[]> {
  const results = await declare(files, options)
  return Promise.all((results ?? []).map((result, index) => follow(files[index] as UploadFile, result, options)))
}

async function follow(file: UploadFile, result: CreateResult, options: UploadOptions): Promise<UploadOutcome> {
  if (result.state === 'known') return { photoId: result.photoId }
  // Of which there are too many is to be tried later.
  if (result.state === 'rejected') return result.code === 'too_many_uploads' ? null : { rejection: result.issue }
  const { session } = result
  return (await sendMissing(file, session, options)) ? complete(session, options) : null
}

async function declare(files: UploadFile[], options: UploadOptions): Promise<CreateResult[] | null> {
  const declared = files.map(({ name, bytes, claimed }) => {
    const file = declareFile(name, bytes, UPLOAD_PARTS.minBytes)
    return { ...file, sha256: claimed ?? file.sha256 }
  })
  const json = { files: declared, folderId: options.folderId, direct: true }
  const response = await sendJson('/api/upload-sessions', json, options)
  if (response?.status === 400) throw new Error(`a declaration was rejected: ${response.body}`)
  return parsed<{ results: CreateResult[] }>(response)?.results ?? null
}

/** Resolves with whether all parts were stored. */
async function sendMissing(file: UploadFile, session: Session, options: UploadOptions): Promise<boolean> {
  let isBroken = false
  await inParallel(shuffled(options.random, session.missing ?? []), PARTS_AT_ONCE, async (number) => {
    if (!isBroken && !(await sendPart(file, session, number, options))) isBroken = true
  })
  return !isBroken
}

async function sendPart(
  { bytes, name }: UploadFile,
  session: Session,
  number: number,
  options: UploadOptions,
): Promise<boolean> {
  const body = partOf(bytes, number, session.partBytes)
  // Through the gateway, or straight to the store.
  const signed = options.random() < 0.5 ? session.uploads?.find((upload) => upload.number === number) : null
  const target = signed ?? {
    url: `${options.url}/api/upload-sessions/${session.id}/parts/${number}`,
    headers: { ...options.headers, 'content-type': 'application/octet-stream' },
  }
  const response = await send(signed ? 'straight ' : 'part ', options, {
    method: 'PUT',
    url: target.url,
    headers: target.headers,
    body,
  })
  if (response?.status === 422 || response?.status === 400)
    throw new Error(`part ${number} of ${name} was rejected: ${response.status} ${response.body.slice(0, 300)}`)
  return response !== null && response.status < 300
}

async function complete({ id }: Session, options: UploadOptions): Promise<UploadOutcome> {
  const response = await sendJson(`/api/upload-sessions/${id}/complete`, {}, options)
  const photo = parsed<{ id: number }>(response)
  if (photo) return { photoId: photo.id }
  const isVerdict = response && [400, 413, 415].includes(response.status)
  return isVerdict ? { rejection: `${response.status} ${response.body.slice(0, 300)}` } : null
}

function sendJson(path: string, json: object, options: UploadOptions): Promise<TextResponse | null> {
  const headers = { ...options.headers, 'content-type': 'application/json' }
  const body = Buffer.from(JSON.stringify(json))
  return send(`${path.split('/').at(-1)} `, options, { method: 'POST', url: options.url + path, headers, body })
}

interface TextResponse {
  status: number
  body: string
}

interface SlowRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: Buffer
}

/** Sends a request and counts its response. Null: there was none. */
async function send(what: string, options: UploadOptions, slow: SlowRequest): Promise<TextResponse | null> {
  const response = await sendSlowly(slow, options.bytesPerSecond).catch((error: Error) => error)
  options.count(`${what}${response instanceof Error ? response.message : response.status}`)
  return response instanceof Error ? null : response
}

const CHUNK_BYTES = 64 * 1024
/** How long the transfer may make no progress. */
const STALL_TIMEOUT_MS = 90_000

/** Sends a body at this speed, so that faults occur in the middle of uploads. @throws when there is no response */
async function sendSlowly({ method, url, headers, body }: SlowRequest, bytesPerSecond: number): Promise<TextResponse> {
  const outgoing = request(url, { method, headers: { ...headers, 'content-length': body.length } })
  const response = new Promise<TextResponse>((resolve, reject) => {
    outgoing.once('response', (response) => {
      const { statusCode: status = 0 } = response
      text(response).then((body) => resolve({ status, body }), reject)
    })
    outgoing.on('error', reject)
    outgoing.setTimeout(STALL_TIMEOUT_MS, () =>
      outgoing.destroy(new Error(`no response within ${STALL_TIMEOUT_MS / 1000} s`)),
    )
  })
  response.catch(() => {})
  for (let at = 0; at < body.length && !outgoing.destroyed; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES)
    outgoing.write(chunk)
    await delay((1000 * chunk.length) / bytesPerSecond)
  }
  outgoing.end()
  return response
}

/** The JSON of a success. */
function parsed<T>(response: TextResponse | null): T | null {
  if (!response || response.status < 200 || response.status > 299) return null
  return JSON.parse(response.body) as T
}
