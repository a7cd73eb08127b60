import { createHash } from 'node:crypto'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createForm, sizeOf } from '../load/multipart.ts'

/** A file to upload, with the digests that a client knows before it sends anything. */
export interface BenchFile {
  size: number
  sha256: Buffer
  pieces: Uint8Array[]
  parts: FilePart[]
}

interface FilePart {
  number: number
  /** In hex. */
  sha256: string
  pieces: Uint8Array[]
}

/** What the application chooses on a fast line. */
const PART_BYTES = 32 * 1024 * 1024

/** Computes the digests of a file that was never sent before. */
export function describeFile(pieces: Uint8Array[]): BenchFile {
  const size = sizeOf(pieces)
  const parts = Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, index) => {
    const slice = slicePieces(pieces, index * PART_BYTES, (index + 1) * PART_BYTES)
    return { number: index + 1, sha256: digestOf(slice).toString('hex'), pieces: slice }
  })
  return { size, sha256: digestOf(pieces), pieces, parts }
}

function digestOf(pieces: Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest()
}

/** The bytes from `start` to before `end`, without a copy. */
function slicePieces(pieces: Uint8Array[], start: number, end: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0
  for (const piece of pieces) {
    const slice = piece.subarray(Math.max(0, start - at), Math.max(0, end - at))
    if (slice.length > 0) found.push(slice)
    at += piece.length
  }
  return found
}

/** Concurrent requests: the media service's limit per user. */
const CONNECTIONS = 4
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

/** Sends the pieces, one after the other, as one body. @throws Error unless the response is a success */
async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  pieces: Uint8Array[],
): Promise<{ headers: IncomingHttpHeaders; body: string }> {
  const length = String(sizeOf(pieces))
  const outgoing = request(url, { method, agent, headers: { ...headers, 'content-length': length } })
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject)
  })
  const sent = pipeline(Readable.from(pieces, { objectMode: true }), outgoing)
  const [response] = await Promise.all([responded, sent])
  const { statusCode: status = 0 } = response
  const body = await text(response)
  if (status >= 300) throw new Error(`${method} ${url.split('?')[0]} returned ${status}: ${body}`)
  return { headers: response.headers, body }
}

/** Runs the work for each item, `CONNECTIONS` at a time. */
async function runConcurrently<T>(items: AsyncGenerator<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const worker = async () => {
    for await (const item of items) await work(item)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

interface WaysDeps {
  /** Of the system. */
  origin: string
  cookie: string
  pairUrl: string
  /** URL that puts a new object into the store. */
  presignPut(): Promise<string>
}

/** The fields of an upload session that are read. */
interface Session {
  id: string
  uploads: { number: number; url: string; headers: Record<string, string> }[] | null
}
interface Opened {
  file: BenchFile
  session: Session
}

/** Of the web application. */
const FILES_OF_REQUEST = 20
const BOUNDARY = 'a-boundary-of-the-benchmark'

/** Uploads files, `CONNECTIONS` at a time, as the clients of this way do. Resolves when all are acknowledged. */
export type UploadAll = (files: BenchFile[]) => Promise<void>

/**
 * `bare`: a PUT of the whole file to the store, with its SHA-256. `pair`: to a proxy in front of a handler that hashes and puts.
 * `gateway`, `direct`: upload sessions, whose parts go through us or straight to the store. `form`: `POST /api/upload-photo`.
 */
export function createWays({ origin, cookie, pairUrl, presignPut }: WaysDeps) {
  const own = { cookie, origin }

  async function call<T>(path: string, body: object): Promise<T> {
    const headers = { ...own, 'content-type': 'application/json' }
    return JSON.parse((await send('POST', origin + path, headers, [Buffer.from(JSON.stringify(body))])).body)
  }

  async function sendPart({ id, uploads }: Session, { number, pieces }: FilePart): Promise<void> {
    const signed = uploads?.find((upload) => upload.number === number)
    if (signed) await send('PUT', signed.url, signed.headers, pieces)
    else await send('PUT', `${origin}/api/upload-sessions/${id}/parts/${number}`, own, pieces)
  }

  async function uploadFile({ session, file }: Opened): Promise<void> {
    for (const part of file.parts) await sendPart(session, part)
    await call(`/api/upload-sessions/${session.id}/complete`, {})
  }

  async function* openSessions(files: BenchFile[], direct: boolean): AsyncGenerator<Opened> {
    for (let at = 0; at < files.length; at += FILES_OF_REQUEST) {
      const some = files.slice(at, at + FILES_OF_REQUEST)
      const declared = some.map(({ size, sha256, parts }) => {
        const digests = { sha256: sha256.toString('hex'), parts: parts.map((part) => part.sha256) }
        return { name: 'photo.jpg', size, partBytes: PART_BYTES, ...digests }
      })
      const { results } = await call<{ results: { session?: Session }[] }>('/api/upload-sessions', {
        files: declared,
        direct,
      })
      for (const [index, file] of some.entries()) {
        const session = results[index]?.session
        if (!session || (direct && !session.uploads)) throw new Error(`no session: ${JSON.stringify(results[index])}`)
        yield { file, session }
      }
    }
  }

  const inSessions = (direct: boolean) => (files: BenchFile[]) =>
    runConcurrently(openSessions(files, direct), uploadFile)
  const each = (upload: (file: BenchFile) => Promise<unknown>) => (files: BenchFile[]) =>
    runConcurrently(iterate(files), upload)

  return {
    bare: each(async ({ sha256, pieces }) => {
      const headers = { 'x-amz-checksum-sha256': sha256.toString('base64') }
      return send('PUT', await presignPut(), headers, pieces)
    }),
    pair: each(async ({ pieces, sha256 }) => {
      const { body } = await send('PUT', pairUrl, { 'x-target': await presignPut() }, pieces)
      if (body !== sha256.toString('hex')) throw new Error('the pair hashed something else')
    }),
    gateway: inSessions(false),
    direct: inSessions(true),
    form: each(({ pieces }) => {
      const headers = { ...own, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
      const form = createForm(BOUNDARY, 'photo', [{ name: 'photo', pieces }])
      return send('POST', `${origin}/api/upload-photo`, headers, form)
    }),
  }
}

async function* iterate<T>(items: T[]): AsyncGenerator<T> {
  yield* items
}
