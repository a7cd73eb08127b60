import { createForm } from '../load/multipart.ts'
import { runConcurrently, send } from './upload-client.ts'
import type { BenchFile, FilePart } from './upload-files.ts'

/**
 * `bare`: a PUT of the whole file to the store, with its SHA-256. `pair`: to a proxy in front of a handler that hashes and puts.
 * `gateway`, `direct`: upload sessions, whose parts go through us or straight to the store. `form`: `POST /api/upload-photo`.
 */
export const WAYS = ['bare', 'pair', 'gateway', 'direct', 'form'] as const
export type Way = (typeof WAYS)[number]

export interface WaysDeps {
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
type Created = { results: ({ state: 'open'; session: Session } | { state: 'known' | 'rejected' })[] }

/** Of the web application, which does not know the rate of its first request. */
const FILES_OF_FIRST_REQUEST = 2
const FILES_OF_REQUEST = 20
const JSON_TYPE = { 'content-type': 'application/json' }

/** Uploads files, `CONNECTIONS` at a time, each way as its clients do. Resolves when all are acknowledged. */
export type UploadAll = (files: BenchFile[]) => Promise<void>

export function createWays({ origin, cookie, pairUrl, presignPut }: WaysDeps): Record<Way, UploadAll> {
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

  const each = (upload: (file: BenchFile) => Promise<unknown>): UploadAll => {
    return (files) => runConcurrently(files, async (file) => void (await upload(file)))
  }

  return {
    bare: each(async ({ sha256, pieces }) => {
      const headers = { 'x-amz-checksum-sha256': sha256.toString('base64') }
      return send('PUT', await presignPut(), headers, pieces)
    }),
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
