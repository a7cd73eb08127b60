import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { XMLParser } from 'fast-xml-parser'
import { LRUCache } from 'lru-cache'
import { type Client, S3Error } from 'minio'
import { requestTimeout } from '../http/errors.ts'
import { missingOf, PartMismatch, partRequests, requireLength, sendBody, UnknownUpload } from './parts.ts'
import { codeOf, type connect, type S3Config, toOutage } from './s3-client.ts'
import { signPart } from './s3-direct.ts'
import type { PartedUpload, PartSpec, PartStore } from './types.ts'

/** As many as the server lists at once. */
const MAX_PARTS = 1000

interface S3PartsOptions extends ReturnType<typeof connect> {
  /** Resolves when the bucket exists. */
  prepare(): Promise<void>
  head(key: string): Promise<{ size: number } | null>
}

/** The elements of responses that are read. */
interface S3Document {
  ListPartsResult?: { IsTruncated?: string; Part?: S3Part[] }
  Error?: { Code?: string; Message?: string }
}

type ListedPart = PartSpec & { etag: string }

type S3Part = Partial<Record<'PartNumber' | 'Size' | 'ETag' | 'ChecksumSHA256', string>>

const parser = new XMLParser({
  ignoreDeclaration: true,
  parseTagValue: false,
  processEntities: false,
  isArray: (name) => name === 'Part',
})

/**
 * Multipart uploads of S3 with SHA-256: the store takes no part without one, and compares it. The client neither lists them nor
 * completes with them, and signs only what it has hashed itself.
 */
export function s3Parts(config: S3Config, { client, open, prepare, head }: S3PartsOptions): PartStore {
  const { bucket, warn } = config
  /** Parts that are all of their upload, by its id: it is completed next, mostly by the process that has stored them. */
  const storedWholes = new LRUCache<string, ListedPart>({ max: 1000 })
  let hasWarned = false
  const requestOf = (method: string, { key, uploadId }: Pick<PartedUpload, 'key' | 'uploadId'>, query = '') => {
    return { method, bucketName: bucket, objectName: key, query: `${query}uploadId=${encodeURIComponent(uploadId)}` }
  }

  /** Null when the upload is unknown. */
  async function ask(request: ReturnType<typeof requestOf>, body = ''): Promise<S3Document | null> {
    try {
      return await read(await client.makeRequestAsync(request, body))
    } catch (error) {
      if (hasCode(error, 'NoSuchUpload')) return null
      throw toOutage(error)
    }
  }

  async function list(upload: PartedUpload): Promise<ListedPart[] | null> {
    const document = await ask(requestOf('GET', upload, `max-parts=${MAX_PARTS}&`))
    if (!document) return null
    const { ListPartsResult: result } = document
    // A page of a proxy, for example: it does not say that no part is there.
    if (!result) throw new Error('the store answered without a list of parts')
    if (result.IsTruncated === 'true') throw new Error('the store does not list all parts at once')
    const stored = (result.Part ?? []).map(toListedPart)
    if (!hasWarned && stored.some(({ sha256 }) => sha256.length === 0)) {
      hasWarned = true
      warn('the object store keeps no SHA-256 of parts: none counts as stored')
    }
    return stored
  }

  /** Returns whether the upload was known. */
  async function finish(upload: PartedUpload, stored: ListedPart[]): Promise<boolean> {
    const elements = stored.map(
      ({ number, etag, sha256 }) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag>` +
        `<ChecksumSHA256>${sha256.toString('base64')}</ChecksumSHA256></Part>`,
    )
    const body = `<CompleteMultipartUpload>${elements.join('')}</CompleteMultipartUpload>`
    return (await ask(requestOf('POST', upload), body)) !== null
  }

  /** Whether the store says so. */
  const isUnknown = async (upload: PartedUpload) =>
    (await ask(requestOf('GET', upload, 'max-parts=1&')).catch(() => ({}))) === null

  return {
    limits: { minPartBytes: 5 * 1024 ** 2, maxPartBytes: 32 * 1024 ** 2, maxParts: MAX_PARTS },
    async begin(key) {
      await prepare()
      return await client.initiateNewMultipartUpload(bucket, key, {
        'content-type': 'application/octet-stream',
        'x-amz-checksum-algorithm': 'SHA256',
        'x-amz-checksum-type': 'COMPOSITE',
      })
    },
    admit: partRequests(),
    async put(upload, part, body, admission) {
      requireLength(part, body)
      const { url, headers } = signPart(config, config, upload, part)
      const request = open(url, { method: 'PUT', headers: { ...headers, 'content-length': part.bytes } })
      const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      request.once('response', resolve).on('error', reject)
      const stop = sendBody(body, request, admission.signal)
      try {
        const response = await answered
        await read(response)
        const etag = plainTag(response.headers.etag)
        if (part.bytes === upload.size) storedWholes.set(upload.uploadId, { ...part, etag })
      } catch (error) {
        admission.signal.throwIfAborted()
        if (hasCode(error, 'BadDigest', 'XAmzContentChecksumMismatch', 'XAmzContentSHA256Mismatch'))
          throw new PartMismatch(`part ${part.number} has another SHA-256`, { cause: error })
        // It waits for bytes of the client only so long.
        if (hasCode(error, 'RequestTimeout')) throw requestTimeout()
        if (hasCode(error, 'NoSuchUpload') || (isBroken(error, body) && (await isUnknown(upload))))
          throw unknown(upload, error)
        throw toOutage(error)
      } finally {
        stop()
        if (!request.writableFinished) request.destroy()
      }
    },
    list,
    async complete(upload, parts) {
      const whole = storedWholes.get(upload.uploadId)
      // Whatever fails: the list of parts says why.
      if (whole && (await finish(upload, [whole]).catch(() => false))) return { missing: [] }
      const stored = await list(upload)
      if (stored) {
        const missing = missingOf(parts, stored)
        if (missing.length > 0) return { missing }
        if (await finish(upload, stored)) return { missing: [] }
      }
      // Completed before, or by another request just now.
      if ((await head(upload.key))?.size !== upload.size) throw unknown(upload)
      return { missing: [] }
    },
    abort: ({ key, uploadId }) => abortUpload(client, bucket, key, uploadId),
  }
}

/** Ends an upload; an unknown one is not an error. */
export async function abortUpload(client: Client, bucket: string, key: string, uploadId: string): Promise<void> {
  await client.abortMultipartUpload(bucket, key, encodeURIComponent(uploadId)).catch((error) => {
    if (!hasCode(error, 'NoSuchUpload')) throw toOutage(error)
  })
}

/** @throws S3Error, also for one that comes with status 200 */
async function read(response: IncomingMessage): Promise<S3Document> {
  const document: S3Document = parser.parse(await text(response))
  const { Code = '', Message = `status ${response.statusCode}` } = document.Error ?? {}
  if (document.Error || response.statusCode !== 200) throw Object.assign(new S3Error(Message), { code: Code })
  return document
}

const unknown = ({ uploadId }: PartedUpload, cause?: unknown) => new UnknownUpload(`no upload ${uploadId}`, { cause })

const hasCode = (error: unknown, ...codes: string[]) => codes.includes(codeOf(error) ?? '')

/** Whether the store ended the connection: its response may have been lost when it came before the end of the body. */
function isBroken(error: unknown, body: IncomingMessage): boolean {
  return hasCode(error, 'ECONNRESET', 'EPIPE') && !body.readableAborted
}

function toListedPart({ PartNumber, Size, ETag, ChecksumSHA256 = '' }: S3Part): ListedPart {
  return {
    number: Number(PartNumber),
    bytes: Number(Size),
    sha256: Buffer.from(ChecksumSHA256, 'base64'),
    etag: plainTag(ETag),
  }
}

/** An ETag without its quotes, which some stores send as entities. */
const plainTag = (tag = '') => tag.replace(/&#34;|&quot;|"/g, '')
