import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Identity } from '@skyfolio/kit'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { partOf, partsOf, readSession, uploadOf } from '../src/upload-sessions/rows.ts'
import type { TestMedia } from './support.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect
type Answer = { status: number; body: any; headers: Headers }

/** A file as clients declare it. */
export function declare(bytes: Buffer, name = 'photo.jpg', partBytes = UPLOAD_PARTS.minBytes) {
  const starts = Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, index) => index * partBytes)
  const parts = starts.map((start) => hash('sha256', bytes.subarray(start, start + partBytes)))
  return { name, size: bytes.length, sha256: hash('sha256', bytes), partBytes, parts }
}

/** Sends JSON to the routes of upload sessions; `path` follows `/api/upload-sessions`. */
export async function ask(
  media: TestMedia,
  who: Partial<Identity>,
  method: string,
  path = '',
  body?: object,
): Promise<Answer> {
  const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await media.call(`/api/upload-sessions${path}`, who, { method, ...init })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
}

/** Creates a session of one file, and returns it. */
export async function open(media: TestMedia, who: Partial<Identity>, bytes: Buffer, fields: object = {}) {
  const { body } = await ask(media, who, 'POST', '', { files: [declare(bytes)], ...fields })
  const [result] = body.results ?? []
  if (result?.state !== 'open') throw new Error(`no session: ${JSON.stringify(body)}`)
  return result.session
}

/** Stores parts of a session, all by default, as the route of parts does. */
export async function store(media: TestMedia, userId: number, id: string, bytes: Buffer, numbers?: number[]) {
  const row = await readSession(media.db, userId, id)
  if (!row) throw new Error(`no session ${id}`)
  for (const number of numbers ?? partsOf(row).map((part) => part.number)) {
    const start = (number - 1) * row.partBytes
    const part = partOf(row, number)
    const body = Readable.from([bytes.subarray(start, start + part.bytes)])
    const request = Object.assign(body, { headers: { 'content-length': String(part.bytes) }, complete: true })
    const admission = { signal: new AbortController().signal, end() {}, close() {} }
    await media.store.parts.put(uploadOf(row), part, request as unknown as IncomingMessage, admission)
  }
}

export function complete(media: TestMedia, who: Partial<Identity>, id: string, body: object = {}): Promise<Answer> {
  return ask(media, who, 'POST', `/${id}/complete`, body)
}
