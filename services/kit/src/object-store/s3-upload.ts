import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Client } from 'minio'

const PART_BYTES = 8 * 1024 * 1024

interface Part {
  /** Overwritten when the next part is requested. */
  bytes: Buffer
  last: boolean
}

/**
 * Uploads in parts of 8 MiB, each with a checksum that the store verifies; a body of one part is a single request.
 * Returns the number of bytes. `Client.putObject` would copy and hash twice, list the store's uploads before, and abort nothing.
 */
export async function upload(client: Client, bucket: string, key: string, body: Readable, contentType: string) {
  const headers = { 'Content-Type': contentType }
  const parts = partsOf(body)
  try {
    const first = (await parts.next()).value
    if (!first) throw new Error('a body without an end')
    if (!first.last) return await uploadParts(client, bucket, key, headers, first, parts)
    const request = { method: 'PUT', bucketName: bucket, objectName: key }
    await client.makeRequestAsyncOmit(
      { ...request, headers: { ...headers, ...checksum(client, first.bytes) } },
      first.bytes,
    )
    return first.bytes.length
  } finally {
    // The rest of the body is not needed.
    await parts.return(undefined)
  }
}

async function uploadParts(
  client: Client,
  bucket: string,
  key: string,
  headers: Record<string, string>,
  first: Part,
  rest: AsyncIterable<Part>,
): Promise<number> {
  const uploadId = await client.initiateNewMultipartUpload(bucket, key, headers)
  try {
    const tags: { part: number; etag: string }[] = []
    let size = 0
    const send = async ({ bytes }: Part) => {
      const part = tags.length + 1
      const target = { bucketName: bucket, objectName: key, uploadID: uploadId, partNumber: part }
      const { etag } = await client.uploadPart({ ...target, headers: checksum(client, bytes) }, bytes)
      tags.push({ part, etag })
      size += bytes.length
    }
    await send(first)
    for await (const part of rest) await send(part)
    await client.completeMultipartUpload(bucket, key, uploadId, tags)
    return size
  } catch (error) {
    await client.abortMultipartUpload(bucket, key, uploadId).catch(() => {})
    throw error
  }
}

/** Over http the client signs the SHA-256 of what it sends, which the store verifies. Over https it does not. */
function checksum(client: Client, bytes: Buffer): Record<string, string> {
  return client.enableSHA256 ? {} : { 'Content-MD5': createHash('md5').update(bytes).digest('base64') }
}

/** Cuts the body into parts of equal size, as some stores require; only the last may be shorter, or empty. */
async function* partsOf(body: Readable): AsyncGenerator<Part, undefined> {
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
