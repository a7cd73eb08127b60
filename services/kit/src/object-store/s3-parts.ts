import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { XMLParser } from 'fast-xml-parser'
import { type Client, S3Error } from 'minio'
import { requestTimeout } from '../http/errors.ts'
import { missingOf, PartMismatch, partRequests, requireLength, sendBody, UnknownUpload } from './parts.ts'
import { codeOf, toOutage } from './s3-client.ts'
import type { PartedUpload, PartStore, StoredPart } from './types.ts'

const MiB = 1024 * 1024
/** As many as the server lists at once. */
const MAX_PARTS = 1000

interface S3PartsOptions {
  client: Client
  /** Signs the declared SHA-256 of a part as a header only, which the store compares: both would be hashed. */
  sender: Client
  bucket: string
  /** Resolves when the bucket exists. */
  prepare(): Promise<void>
  head(key: string): Promise<{ size: number } | null>
  warn(what: string): void
}

/** The elements of responses that are read. */
interface S3Document {
  ListPartsResult?: { IsTruncated?: string; Part?: S3Part[] }
  Error?: { Code?: string; Message?: string }
}

type ListedPart = StoredPart & { etag: string }

interface S3Part {
  PartNumber?: string
  Size?: string
  ETag?: string
  ChecksumSHA256?: string
}

const parser = new XMLParser({
  ignoreDeclaration: true,
  parseTagValue: false,
  processEntities: false,
  isArray: (name) => name === 'Part',
})

/** Multipart uploads of S3 with SHA-256, which the client neither lists nor completes with: the store takes no part without one, and compares it. */
export function s3Parts({ client, sender, bucket, prepare, head, warn }: S3PartsOptions): PartStore {
  let hasWarned = false
  const requestOf = (method: string, { key, uploadId }: Pick<PartedUpload, 'key' | 'uploadId'>, query = '') => {
    return { method, bucketName: bucket, objectName: key, query: `${query}uploadId=${encodeURIComponent(uploadId)}` }
  }

  /** Null when the upload is unknown. */
  async function ask(request: ReturnType<typeof requestOf>, body = ''): Promise<S3Document | null> {
    try {
      const document = parse(await text(await client.makeRequestAsync(request, body)))
      const { Code = '', Message } = document.Error ?? {}
      if (document.Error) throw Object.assign(new S3Error(Message), { code: Code })
      return document
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
    limits: { minPartBytes: 5 * MiB, maxPartBytes: 32 * MiB, maxParts: MAX_PARTS },
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
      const headers = {
        'content-length': String(part.bytes),
        'x-amz-checksum-sha256': part.sha256.toString('base64'),
      }
      const request = { ...requestOf('PUT', upload, `partNumber=${part.number}&`), headers }
      // The client ends what it sends when the store fails, which must not end the connection of the body.
      const sent = new PassThrough()
      const stop = sendBody(body, sent, admission.signal)
      try {
        const response = await sender.makeRequestStreamAsync(request, sent, '', [200], '')
        response.resume()
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
        sent.destroy()
      }
    },
    list,
    async complete(upload, parts) {
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

function parse(content: string): S3Document {
  return content.trimStart().startsWith('<') ? parser.parse(content) : {}
}

const unknown = ({ uploadId }: PartedUpload, cause?: unknown) => new UnknownUpload(`no upload ${uploadId}`, { cause })

const hasCode = (error: unknown, ...codes: string[]) => codes.includes(codeOf(error) ?? '')

/** Whether the store ended the connection: its response may have been lost when it came before the end of the body. */
function isBroken(error: unknown, body: IncomingMessage): boolean {
  return hasCode(error, 'ECONNRESET', 'EPIPE') && !body.readableAborted
}

function toListedPart({ PartNumber, Size, ETag = '', ChecksumSHA256 = '' }: S3Part): ListedPart {
  return {
    number: Number(PartNumber),
    bytes: Number(Size),
    sha256: Buffer.from(ChecksumSHA256, 'base64'),
    // Some stores send its quotes as entities.
    etag: ETag.replace(/&#34;|&quot;|"/g, ''),
  }
}
