import type { IncomingMessage } from 'node:http'
import { requestTimeout } from '../http/errors.ts'
import { checkKey } from './key.ts'
import { missingOf, requireLength } from './part-body.ts'
import { PartMismatch, UnknownUpload } from './part-errors.ts'
import { partRequests } from './part-requests.ts'
import { plainTag, S3Error, type S3Part, type S3Send } from './s3-request.ts'
import { partRequest } from './s3-sign.ts'
import { isSinglePart, newSinglePart, singlePartRequest } from './s3-single-part.ts'
import type { PartedUpload, PartSpec, PartStore, StoredPart } from './types.ts'

const MiB = 1024 * 1024
/** As many as the server lists at once. */
const MAX_PARTS = 1000

export interface S3PartsOptions {
  send: S3Send
  /** Resolves when the bucket exists. */
  prepare(): Promise<void>
  head(key: string): Promise<{ size: number } | null>
  /** Size and SHA-256 of an object, as far as the store keeps it. */
  describe(key: string): Promise<{ size: number; sha256: Buffer; etag: string } | null>
  warn(what: string): void
}

/** Multipart uploads of S3. They are begun with SHA-256, so that the store takes no part without one, and compares it. */
export function s3Parts({ send, prepare, head, describe, warn }: S3PartsOptions): PartStore {
  let hasWarned = false

  async function list(upload: PartedUpload): Promise<StoredPart[] | null> {
    const stored = isSinglePart(upload) ? await findSinglePart(upload) : await listParts(upload)
    if (!hasWarned && stored?.some(({ sha256 }) => sha256.length === 0)) {
      hasWarned = true
      warn('the object store keeps no SHA-256 of parts: none counts as stored')
    }
    return stored
  }

  async function findSinglePart({ key }: PartedUpload): Promise<StoredPart[]> {
    const object = await describe(key)
    return object ? [{ number: 1, bytes: object.size, sha256: object.sha256, etag: object.etag }] : []
  }

  async function listParts({ key, uploadId }: PartedUpload): Promise<StoredPart[] | null> {
    const query = { uploadId, 'max-parts': String(MAX_PARTS) }
    const response = await orNull(send({ method: 'GET', key, query }))
    if (!response) return null
    const { ListPartsResult: result } = response.document
    // A page of a proxy, for example: it does not say that no part is there.
    if (!result) throw new Error('the store answered without a list of parts')
    if (result.IsTruncated === 'true') throw new Error('the store does not list all parts at once')
    return (result.Part ?? []).map(toStoredPart)
  }

  /** True also when the store does not say. */
  async function isKnown({ key, uploadId }: PartedUpload): Promise<boolean> {
    const response = send({ method: 'GET', key, query: { uploadId, 'max-parts': '1' } })
    return await orNull(response).then(
      (found) => found !== null,
      () => true,
    )
  }

  /** Null when the upload is unknown. */
  async function finish({ key, uploadId }: PartedUpload, parts: PartSpec[], etags: Map<number, string>) {
    const elements = parts.map(
      ({ number, sha256 }) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>"${etags.get(number)}"</ETag>` +
        `<ChecksumSHA256>${sha256.toString('base64')}</ChecksumSHA256></Part>`,
    )
    const body = Buffer.from(`<CompleteMultipartUpload>${elements.join('')}</CompleteMultipartUpload>`)
    const headers = { 'content-length': String(body.length) }
    return await orNull(send({ method: 'POST', key, query: { uploadId }, headers }, body))
  }

  return {
    limits: { minPartBytes: 5 * MiB, maxPartBytes: 32 * MiB, maxParts: MAX_PARTS },
    async begin(key, _size, { isOwnSinglePart = false } = {}) {
      checkKey(key)
      await prepare()
      if (isOwnSinglePart) return newSinglePart()
      const headers = {
        'content-length': '0',
        'content-type': 'application/octet-stream',
        'x-amz-checksum-algorithm': 'SHA256',
        'x-amz-checksum-type': 'COMPOSITE',
      }
      const { document } = await send({ method: 'POST', key, query: { uploads: '' }, headers })
      const uploadId = document.InitiateMultipartUploadResult?.UploadId
      if (!uploadId) throw new Error('the store began an upload without an id')
      return uploadId
    },
    // Two at the same time are no harm: the server stores whole parts only.
    admit: partRequests({ exclusive: false }),
    async put(upload, part, body, admission) {
      requireLength(part, body)
      const isObject = isSinglePart(upload)
      const request = isObject ? singlePartRequest(upload, part) : partRequest(upload, part)
      try {
        const { headers } = await send(request, body, admission?.signal)
        const isConfirmed = isObject && headers['x-amz-checksum-sha256'] === part.sha256.toString('base64')
        return { etag: plainTag(headers.etag), isObject, isConfirmed }
      } catch (error) {
        admission?.signal.throwIfAborted()
        if (hasCode(error, 'BadDigest', 'XAmzContentChecksumMismatch'))
          throw new PartMismatch(`part ${part.number} has another SHA-256`, { cause: error })
        // It waits for bytes of the client only so long.
        if (hasCode(error, 'RequestTimeout')) throw requestTimeout()
        if (isObject) throw error
        if (isUnknown(error) || (isBroken(error, body) && !(await isKnown(upload)))) throw unknown(upload, error)
        throw error
      }
    },
    list,
    async complete(upload, parts, etags) {
      if (isSinglePart(upload)) return { missing: missingOf(parts, (await list(upload)) ?? []) }
      const hints = etags && usable(parts, etags)
      const done = hints && (await finish(upload, parts, hints).catch(nullIfInvalid))
      if (done) return { missing: [] }

      const stored = await list(upload)
      if (stored) {
        const missing = missingOf(parts, stored)
        if (missing.length > 0) return { missing }
        if (await finish(upload, parts, new Map(stored.map(({ number, etag }) => [number, etag]))))
          return { missing: [] }
      }
      // Completed before, or by another request just now.
      if ((await head(upload.key))?.size !== upload.size) throw unknown(upload)
      return { missing: [] }
    },
    async abort({ key, uploadId }) {
      if (isSinglePart({ uploadId })) return
      await orNull(send({ method: 'DELETE', key, query: { uploadId } }))
    },
  }
}

const unknown = ({ uploadId }: PartedUpload, cause?: unknown) => new UnknownUpload(`no upload ${uploadId}`, { cause })

const hasCode = (error: unknown, ...codes: string[]) => error instanceof S3Error && codes.includes(error.code)

const isUnknown = (error: unknown) => hasCode(error, 'NoSuchUpload')

/** Whether the store ended the connection: its response may have been lost when it came before the end of the body. */
function isBroken(error: unknown, body: IncomingMessage): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '') && !body.readableAborted
}

/** Null instead of the error of an unknown upload. */
async function orNull<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response
  } catch (error) {
    if (isUnknown(error)) return null
    throw error
  }
}

/** The hints were wrong: what is stored says more. */
function nullIfInvalid(error: unknown): null {
  if (hasCode(error, 'InvalidPart', 'InvalidPartOrder', 'EntityTooSmall')) return null
  throw error
}

/** ETags that clients sent, when there is one for each part. */
function usable(parts: PartSpec[], etags: Map<number, string>): Map<number, string> | undefined {
  const plain = new Map(parts.map(({ number }) => [number, plainTag(etags.get(number))]))
  return [...plain.values()].every((tag) => /^[\w-]{1,100}$/.test(tag)) ? plain : undefined
}

function toStoredPart({ PartNumber, Size, ETag, ChecksumSHA256 = '' }: S3Part): StoredPart {
  return {
    number: Number(PartNumber),
    bytes: Number(Size),
    sha256: Buffer.from(ChecksumSHA256, 'base64'),
    etag: plainTag(ETag),
  }
}
