import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Client } from 'minio'
import type { IncompleteUpload } from './object-store.ts'
import { isUnavailable } from './unavailable.ts'

export const PART_BYTES = 8 * 1024 * 1024

/**
 * Uploads in parts of 8 MiB, each with a checksum that the store compares; a body of one part goes as one request.
 * Gives the number of bytes.
 */
export async function upload(client: Client, bucket: string, key: string, body: Readable, contentType: string) {
  const headers = { 'Content-Type': contentType }
  const parts = partsOf(body)
  try {
    const first = (await parts.next()).value ?? Buffer.alloc(0)
    const second = (await parts.next()).value
    if (second) return await uploadParts(client, bucket, key, headers, [first, second], parts)
    await client.putObject(bucket, key, first, first.length, headers)
    return first.length
  } finally {
    // What is left of the body is not wanted any more.
    await parts.return(undefined)
  }
}

async function uploadParts(
  client: Client,
  bucket: string,
  key: string,
  headers: Record<string, string>,
  begun: Buffer[],
  rest: AsyncIterable<Buffer>,
): Promise<number> {
  const uploadId = await client.initiateNewMultipartUpload(bucket, key, headers)
  try {
    const tags: { part: number; etag: string }[] = []
    let size = 0
    const send = async (part: Buffer) => {
      tags.push(await uploadPart(client, bucket, key, uploadId, tags.length + 1, part))
      size += part.length
    }
    while (begun.length > 0) await send(begun.shift() as Buffer)
    for await (const part of rest) await send(part)
    await client.completeMultipartUpload(bucket, key, uploadId, tags)
    return size
  } catch (error) {
    await client.abortMultipartUpload(bucket, key, uploadId).catch(() => {})
    throw error
  }
}

async function uploadPart(client: Client, bucket: string, key: string, id: string, partNumber: number, part: Buffer) {
  const headers = { 'Content-Length': part.length, 'Content-MD5': createHash('md5').update(part).digest('base64') }
  const config = { bucketName: bucket, objectName: key, uploadID: id, partNumber, headers }
  const { etag } = await client.uploadPart(config, part)
  return { part: partNumber, etag }
}

/** Cuts the body into parts of one size, as some stores want them; only the last may be shorter. */
async function* partsOf(body: Readable): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size < PART_BYTES) continue
    let rest = Buffer.concat(chunks)
    for (; rest.length >= PART_BYTES; rest = rest.subarray(PART_BYTES)) yield rest.subarray(0, PART_BYTES)
    chunks = [rest]
    size = rest.length
  }
  if (size > 0) yield Buffer.concat(chunks)
}

/** Uploads in parts that were begun and neither completed nor aborted, as far as the store tells. */
export async function* incompleteUploads(client: Client, bucket: string): AsyncIterable<IncompleteUpload> {
  for await (const { key, uploadId, initiated } of client.listIncompleteUploads(bucket, '', true)) {
    yield { startedAt: new Date(initiated), end: () => client.abortMultipartUpload(bucket, key, uploadId) }
  }
}

const RULE = {
  ID: 'skyfolio-incomplete-uploads',
  Status: 'Enabled',
  Filter: { Prefix: '' },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
}

/**
 * Asks the store to end incomplete uploads after a day. A bucket with rules of its operator stays as it is, and a store
 * that knows no such rule (MinIO ends them by itself) refuses: there the sweeper does it alone.
 */
export async function askToEndIncompleteUploads(client: Client, bucket: string): Promise<void> {
  try {
    if (await hasRules(client, bucket)) return
    await client.setBucketLifecycle(bucket, { Rule: [RULE] })
  } catch (error) {
    if (isUnavailable(error)) throw error
  }
}

async function hasRules(client: Client, bucket: string): Promise<boolean> {
  try {
    await client.getBucketLifecycle(bucket)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'NoSuchLifecycleConfiguration') return false
    throw error
  }
}
