import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { ObjectStore, SignedPart } from '@skyfolio/kit'
import { createForm, sizeOf } from '../load/multipart.ts'
import { runConcurrently, send } from './upload-client.ts'
import type { BenchFile, FilePart } from './upload-files.ts'

/**
 * `bare`: a PUT of the whole file to the store, with its SHA-256. `parts`: an upload in parts to the store, which the client itself
 * begins, completes and reads the ends of. `pair`: to a proxy in front of a handler that hashes and puts. `pair-parts`: to the same
 * handler, which puts each part by the URL of an upload in parts, begun and completed as in `parts`. `gateway`, `direct`: upload
 * sessions, whose parts go through us or straight to the store. `form`: `POST /api/upload-photo`.
 */
export const WAYS = ['bare', 'parts', 'pair', 'pair-parts', 'gateway', 'direct', 'form'] as const
export type Way = (typeof WAYS)[number]

export interface WaysDeps {
  /** Of the system. */
  origin: string
  cookie: string
  pairUrl: string
  /** URL that puts a new object into the store. */
  presignPut(): Promise<string>
  /** The same, with parts that are sent straight to it. */
  store: ObjectStore
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
type Created = { results: ({ state: 'open'; session: Session } | { state: 'known' | 'rejected' })[] }

/** Of the web application, which does not know the rate of its first request. */
const FILES_OF_FIRST_REQUEST = 2
const FILES_OF_REQUEST = 20
/** What media reads of a JPEG. */
const HEAD_BYTES = 65_536
const TAIL_BYTES = 2
const JSON_TYPE = { 'content-type': 'application/json' }

/** Uploads files, `CONNECTIONS` at a time, each way as its clients do. Resolves when all are acknowledged. */
export type UploadAll = (files: BenchFile[]) => Promise<void>

export function createWays({ origin, cookie, pairUrl, presignPut, store }: WaysDeps): Record<Way, UploadAll> {
  const own = { cookie, origin }

  async function call<T>(path: string, body: object): Promise<T> {
    const bytes = Buffer.from(JSON.stringify(body))
    return JSON.parse((await send('POST', origin + path, { ...own, ...JSON_TYPE }, [bytes])).body)
  }

  async function sendPart({ id, uploads }: Session, part: FilePart): Promise<string> {
    const { number, pieces } = part
    if (!uploads) {
      const { body } = await send('PUT', `${origin}/api/upload-sessions/${id}/parts/${number}`, own, pieces)
      return JSON.parse(body).etag
    }
    const signed = uploads.find((upload) => upload.number === number)
    if (!signed) throw new Error(`no URL of part ${number}`)
    const { headers } = await send('PUT', signed.url, signed.headers, pieces)
    return String(headers.etag)
  }

  async function uploadFile(session: Session, { parts }: BenchFile): Promise<void> {
    const etags: Record<string, string> = {}
    for (const part of parts) etags[part.number] = await sendPart(session, part)
    await call(`/api/upload-sessions/${session.id}/complete`, { etags })
  }

  async function createSessions(files: BenchFile[], direct: boolean): Promise<Opened[]> {
    const declared = files.map(({ name, size, sha256, partBytes, parts }) => {
      return { name, size, sha256: sha256.toString('hex'), partBytes, parts: parts.map((part) => part.sha256) }
    })
    const { results } = await call<Created>('/api/upload-sessions', { files: declared, direct })
    return files.map((file, index) => {
      const result = results[index]
      if (result?.state !== 'open') throw new Error(`a session is not open: ${JSON.stringify(result)}`)
      if (direct && !result.session.uploads) throw new Error('media signs no parts')
      return { file, session: result.session }
    })
  }

  /** Creates the next sessions while those before are used, as the web application does. */
  async function* openSessions(files: BenchFile[], direct: boolean): AsyncGenerator<Opened> {
    let next = createSessions(files.slice(0, FILES_OF_FIRST_REQUEST), direct)
    for (let at = FILES_OF_FIRST_REQUEST; at < files.length; at += FILES_OF_REQUEST) {
      const opened = await next
      next = createSessions(files.slice(at, at + FILES_OF_REQUEST), direct)
      yield* opened
    }
    yield* await next
  }

  function uploadInSessions(files: BenchFile[], direct: boolean): Promise<void> {
    return runConcurrently(openSessions(files, direct), ({ session, file }) => uploadFile(session, file))
  }

  /** Sends a part to its URL and resolves with its ETag. */
  type SendPart = (signed: SignedPart, part: FilePart) => Promise<string>

  const sendBarePart: SendPart = async ({ url, headers }, { pieces }) =>
    String((await send('PUT', url, headers, pieces)).headers.etag)

  const sendThroughPair: SendPart = async ({ url, headers }, { pieces, sha256 }) => {
    const response = await send('PUT', pairUrl, { ...headers, 'x-target': url }, pieces)
    if (response.body !== sha256) throw new Error('the pair hashed something else')
    return String(response.headers.etag)
  }

  async function uploadBareParts({ size, partBytes, parts }: BenchFile, sendPart: SendPart): Promise<void> {
    const key = `bare/${randomUUID()}`
    const upload = { key, size, partBytes, uploadId: await store.parts.begin(key, size) }
    const specs = parts.map(({ number, sha256, pieces }) => {
      return { number, bytes: sizeOf(pieces), sha256: Buffer.from(sha256, 'hex') }
    })
    const signed = await store.direct?.sign(upload, specs)
    const etags = new Map<number, string>()
    for (const one of signed?.parts ?? []) {
      const part = parts.find(({ number }) => number === one.number) as FilePart
      etags.set(one.number, (await sendPart(one, part)).replaceAll('"', ''))
    }
    const { missing } = await store.parts.complete(upload, specs, etags)
    if (missing.length > 0) throw new Error(`the store misses parts ${missing}`)
    const read = async (start: number, end: number) => {
      const object = await store.get(key, { start, end })
      return object && buffer(object.body)
    }
    await Promise.all([read(0, HEAD_BYTES - 1), read(size - TAIL_BYTES, size - 1)])
  }

  const each = (upload: (file: BenchFile) => Promise<unknown>): UploadAll => {
    return (files) => runConcurrently(files, async (file) => void (await upload(file)))
  }

  return {
    bare: each(async ({ sha256, pieces }) => {
      const headers = { 'x-amz-checksum-sha256': sha256.toString('base64') }
      return send('PUT', await presignPut(), headers, pieces)
    }),
    parts: each((file) => uploadBareParts(file, sendBarePart)),
    'pair-parts': each((file) => uploadBareParts(file, sendThroughPair)),
    pair: each(async ({ pieces, sha256 }) => {
      const { body } = await send('PUT', pairUrl, { 'x-target': await presignPut() }, pieces)
      if (body !== sha256.toString('hex')) throw new Error('the pair hashed something else')
    }),
    gateway: (files) => uploadInSessions(files, false),
    direct: (files) => uploadInSessions(files, true),
    form: each(({ pieces }) => {
      const boundary = 'a-boundary-of-the-benchmark'
      const headers = { ...own, 'content-type': `multipart/form-data; boundary=${boundary}` }
      return send(
        'POST',
        `${origin}/api/upload-photo`,
        headers,
        createForm(boundary, 'photo', [{ name: 'photo', pieces }]),
      )
    }),
  }
}
