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
  const first = (await parts.next()).value
  let next = await parts.next()
  if (next.done) {
    await client.putObject(bucket, key, first ?? Buffer.alloc(0), first?.length ?? 0, headers)
    return first?.length ?? 0
  }

  const uploadId = await client.initiateNewMultipartUpload(bucket, key, headers)
  try {
    const tags = [await uploadPart(client, bucket, key, uploadId, 1, first as Buffer)]
    let size = (first as Buffer).length
    for (; !next.done; next = await parts.next()) {
      tags.push(await uploadPart(client, bucket, key, uploadId, tags.length + 1, next.value))
      size += next.value.length
    }
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

async function* partsOf(body: Readable): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size < PART_BYTES) continue
    yield Buffer.concat(chunks)
    chunks = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(chunks)
}

async function* listObjects(client: Client, bucket: string, prefix: string): AsyncIterable<StoredObject> {
  for await (const { name, size, lastModified } of client.listObjectsV2(bucket, prefix, true)) {
    yield { key: name, size, modifiedAt: lastModified }
  }
}
