import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Client } from 'minio'

const PART_BYTES = 8 * 1024 * 1024

/**
 * Uploads in parts of 8 MiB, each with a checksum that the store verifies; a body of one part is a single request.
 * Returns the number of bytes. `Client.putObject` would copy and hash twice, list the store's uploads before, and abort nothing.
 */
export async function upload(client: Client, bucket: string, key: string, body: Readable, contentType: string) {
  const target = { bucketName: bucket, objectName: key }
  const headers = { 'Content-Type': contentType }
  const tags: { part: number; etag: string }[] = []
  let uploadID: string | undefined
  let size = 0
  try {
    for await (const { bytes, last } of partsOf(body)) {
      size += bytes.length
      if (last && !uploadID) {
        const request = { ...target, method: 'PUT', headers: { ...headers, ...checksum(client, bytes) } }
        await client.makeRequestAsyncOmit(request, bytes)
        return size
      }
      uploadID ??= await client.initiateNewMultipartUpload(bucket, key, headers)
      const partNumber = tags.length + 1
      const part = { ...target, uploadID, partNumber, headers: checksum(client, bytes) }
      tags.push({ part: partNumber, etag: (await client.uploadPart(part, bytes)).etag })
    }
    if (uploadID) await client.completeMultipartUpload(bucket, key, uploadID, tags)
    return size
  } catch (error) {
    if (uploadID) await client.abortMultipartUpload(bucket, key, uploadID).catch(() => {})
    throw error
  }
}

/** Over http the client signs the SHA-256 of what it sends, which the store verifies. Over https it does not. */
function checksum(client: Client, bytes: Buffer): Record<string, string> {
  return client.enableSHA256 ? {} : { 'Content-MD5': createHash('md5').update(bytes).digest('base64') }
}

/** Cuts the body into parts of equal size, as some stores require; only the last may be shorter, or empty. One is overwritten by the next. */
async function* partsOf(body: Readable): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
  // One buffer for all parts: no work for the garbage collector, however large the body is.
  const memory = Buffer.allocUnsafeSlow(PART_BYTES)
  let size = 0
  for await (let chunk of body as AsyncIterable<Buffer>) {
    while (chunk.length > 0) {
      if (size === PART_BYTES) {
        yield { bytes: memory, last: false }
        size = 0
      }
      const taken = chunk.copy(memory, size)
      size += taken
      chunk = chunk.subarray(taken)
    }
  }
  yield { bytes: memory.subarray(0, size), last: true }
}
