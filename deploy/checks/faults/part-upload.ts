import { setTimeout as delay } from 'node:timers/promises'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { declareFile, partOf } from '../declared-file.ts'
import { between, type Random, shuffled } from './random.ts'
import { sendSlowly, type TextResponse } from './slow-request.ts'
import type { UploadFile } from './upload-files.ts'

export interface PartUploadOptions {
  /** Where requests are sent to: the gateway, or a proxy in front of it. */
  url: string
  /** Without the content type. */
  headers: Record<string, string>
  folderId: number | null
  random: Random
  bytesPerSecond: number
  /** Called with each response: its status, or an error message. */
  count: (response: string) => void
  deadline: number
}

/** What became of a file: a photo, a rejection with its text, or null when time ran out. */
export type PartOutcome = { photoId: number } | { rejection: string } | null

interface SignedPart {
  number: number
  url: string
  headers: Record<string, string>
}

interface Session {
  id: string
  partBytes: number
  missing: number[] | null
  uploads: SignedPart[] | null
}

type CreateResult =
  | { state: 'known'; photoId: number }
  | { state: 'open' | 'completed'; session: Session }
  | { state: 'rejected'; issue: string; code?: string }

const PARTS_AT_ONCE = 2

/**
 * Uploads files in upload sessions: declares them together, sends what is missing in any order, completes. After any error
 * it declares the file again, as a browser does that was closed meanwhile. Outcomes are in the order of the files.
 */
export async function uploadInParts(files: UploadFile[], options: PartUploadOptions): Promise<PartOutcome[]> {
  const sessions = await declare(files, options)
  return Promise.all(files.map((file, index) => finishFile(file, sessions?.[index] ?? null, options)))
}

async function finishFile(
  file: UploadFile,
  first: CreateResult | null,
  options: PartUploadOptions,
): Promise<PartOutcome> {
  for (let result = first; Date.now() < options.deadline; ) {
    const outcome = result ? await follow(file, result, options) : null
    if (outcome) return outcome
    await delay(between(options.random, 500, 2_000))
    result = (await declare([file], options))?.[0] ?? null
  }
  return null
}

/** Sends what is missing and completes. Null: to be declared again. */
async function follow(file: UploadFile, result: CreateResult, options: PartUploadOptions): Promise<PartOutcome> {
  if (result.state === 'known') return { photoId: result.photoId }
  // Of which there are too many is to be tried later.
  if (result.state === 'rejected') return result.code === 'too_many_uploads' ? null : { rejection: result.issue }
  const { session } = result
  const etags = await sendMissing(file, session, options)
  return etags && complete(session, etags, options)
}

async function declare(files: UploadFile[], options: PartUploadOptions): Promise<CreateResult[] | null> {
  const declared = files.map(({ name, bytes, claimed }) => {
    const file = declareFile(name, bytes, UPLOAD_PARTS.minBytes)
    return { ...file, sha256: claimed ?? file.sha256 }
  })
  const json = { files: declared, folderId: options.folderId, direct: options.random() < 0.5 }
  const response = await sendJson('/api/upload-sessions', json, options)
  if (response?.status === 400) throw new Error(`a declaration was rejected: ${response.body}`)
  return parsed<{ results: CreateResult[] }>(response)?.results ?? null
}

/** Resolves with the ETags of the parts that were sent; null when one was not stored. */
async function sendMissing(
  file: UploadFile,
  session: Session,
  options: PartUploadOptions,
): Promise<Record<string, string> | null> {
  const etags: Record<string, string> = {}
  const waiting = shuffled(options.random, session.missing ?? [])
  let isBroken = false
  async function sendNext(): Promise<void> {
    for (let number = waiting.pop(); number && !isBroken; number = waiting.pop()) {
      const etag = await sendPart(file, session, number, options)
      if (etag === null) isBroken = true
      else etags[number] = etag
    }
  }
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendNext))
  return isBroken ? null : etags
}

async function sendPart(
  { bytes, name }: UploadFile,
  session: Session,
  number: number,
  options: PartUploadOptions,
): Promise<string | null> {
  const body = partOf(bytes, number, session.partBytes)
  // Through the gateway, or straight to the store.
  const signed = options.random() < 0.5 ? await signedPart(session, number, options) : null
  const request = signed ?? {
    url: `${options.url}/api/upload-sessions/${session.id}/parts/${number}`,
    headers: { ...options.headers, 'content-type': 'application/octet-stream' },
  }
  const { bytesPerSecond } = options
  const response = await counted(
    signed ? 'straight' : 'part',
    options,
    sendSlowly({ method: 'PUT', ...request, body, bytesPerSecond }),
  )
  if (response?.status === 422 || response?.status === 400)
    throw new Error(`part ${number} of ${name} was rejected: ${response.status} ${response.body.slice(0, 300)}`)
  if (signed) return response?.status === 200 ? response.etag : null
  return parsed<{ etag: string }>(response)?.etag ?? null
}

/** Null where the installation signs none, or does not answer. */
async function signedPart(session: Session, number: number, options: PartUploadOptions): Promise<SignedPart | null> {
  const known = session.uploads?.find((upload) => upload.number === number)
  if (known) return known
  const response = await sendJson(`/api/upload-sessions/${session.id}/urls`, { parts: [number] }, options)
  return parsed<{ uploads: SignedPart[] }>(response)?.uploads[0] ?? null
}

async function complete(
  { id }: Session,
  etags: Record<string, string>,
  options: PartUploadOptions,
): Promise<PartOutcome> {
  // The hints are optional.
  const json = options.random() < 0.5 ? { etags } : {}
  const response = await sendJson(`/api/upload-sessions/${id}/complete`, json, options)
  const photo = parsed<{ id: number }>(response)
  if (photo) return { photoId: photo.id }
  const isVerdict = response && [400, 413, 415].includes(response.status)
  return isVerdict ? { rejection: `${response.status} ${response.body.slice(0, 300)}` } : null
}

function sendJson(path: string, json: object, options: PartUploadOptions): Promise<TextResponse | null> {
  const headers = { ...options.headers, 'content-type': 'application/json' }
  const body = Buffer.from(JSON.stringify(json))
  const sending = sendSlowly({ method: 'POST', url: options.url + path, headers, body, bytesPerSecond: 10_000_000 })
  return counted(path.split('/').at(-1) ?? '', options, sending)
}

/** Null: there was no response. */
async function counted(
  what: string,
  { count }: PartUploadOptions,
  sending: Promise<TextResponse>,
): Promise<TextResponse | null> {
  const response = await sending.catch((error: Error) => error)
  count(`${what} ${response instanceof Error ? response.message : response.status}`)
  return response instanceof Error ? null : response
}

/** The JSON of a success. */
function parsed<T>(response: TextResponse | null): T | null {
  if (!response || response.status < 200 || response.status > 299) return null
  return JSON.parse(response.body) as T
}
