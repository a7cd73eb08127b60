import { randomUUID } from 'node:crypto'
import { partRequest, type S3Request } from './s3-sign.ts'
import type { PartedUpload, PartSpec } from './types.ts'

// An upload of one part that only this process sends needs no multipart upload: the part is put as the object, with the SHA-256 that
// was declared, which the store compares and keeps.

const PREFIX = 'single-'

/** The id of an upload of which the store knows nothing until its part arrives. */
export function newSinglePart(): string {
  return PREFIX + randomUUID()
}

export function isSinglePart({ uploadId }: Pick<PartedUpload, 'uploadId'>): boolean {
  return uploadId.startsWith(PREFIX)
}

/** The request that puts the part as the object. */
export function singlePartRequest(upload: PartedUpload, part: PartSpec): S3Request {
  const { method, key, headers } = partRequest(upload, part)
  return { method, key, query: {}, headers: { ...headers, 'content-type': 'application/octet-stream' } }
}
