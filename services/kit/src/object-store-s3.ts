import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Client } from 'minio'
import { checkKey } from './object-key.ts'
import type { ObjectStore, StoredObject } from './object-store.ts'

const PART_BYTES = 8 * 1024 * 1024

export interface S3Config {
  /** For example `http://127.0.0.1:9000`. */
  endpoint: string
  region: string
  bucket: string
  accessKey: string
  secretKey: string
}

/** Objects in an S3 bucket, which is made when missing. */
export async function openS3Store(config: S3Config): Promise<ObjectStore> {
  const endpoint = new URL(config.endpoint)
  const useSSL = endpoint.protocol === 'https:'
  const { bucket } = config
  const client = new Client({
    endPoint: endpoint.hostname,
    port: Number(endpoint.port) || (useSSL ? 443 : 80),
    useSSL,
    region: config.region,
    accessKey: config.accessKey,
    secretKey: config.secretKey,
    partSize: PART_BYTES,
  })
  if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket, config.region)

  async function head(key: string) {
    checkKey(key)
    try {
      return { size: (await client.statObject(bucket, key)).size }
    } catch (error) {
      if (['NotFound', 'NoSuchKey'].includes((error as { code?: string }).code ?? '')) return null
      throw error
    }
  }

  return {
    async put(key, body, { contentType }) {
      checkKey(key)
      const size = await upload(client, bucket, key, body, contentType)
      const stored = await head(key)
      if (stored?.size !== size) throw new Error(`the store keeps ${stored?.size} bytes of ${key} instead of ${size}`)
      return { size }
    },
    head,
    async get(key, range) {
      const found = await head(key)
      if (!found) return null
      if (!range) return { ...found, body: await client.getObject(bucket, key) }
      // For the client a length of 0 means "to the end".
      const length = range.end === undefined ? 0 : range.end - range.start + 1
      return { ...found, body: await client.getPartialObject(bucket, key, range.start, length) }
    },
    async remove(key) {
      checkKey(key)
      await client.removeObject(bucket, key)
    },
    list: (prefix) => listObjects(client, bucket, prefix),
    async check() {
      if (!(await client.bucketExists(bucket))) throw new Error(`the bucket ${bucket} is missing`)
    },
  }
}

/** Uploads in parts of 8 MiB, each with a checksum that the store compares; a body of one part goes as one request. */
async function upload(client: Client, bucket: string, key: string, body: Readable, contentType: string) {
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

async function* listObjects(client: Client, bucket: string, prefix: string): AsyncIterable<StoredObject> {
  for await (const { name, size, lastModified } of client.listObjectsV2(bucket, prefix, true)) {
    yield { key: name, size, modifiedAt: lastModified }
  }
}
