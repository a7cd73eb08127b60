import type { IncomingMessage } from 'node:http'
import type { Client } from 'minio'
import { isUnavailable } from '../process/unavailable.ts'
import { codeOf, connect, type S3Config, toOutage } from './s3-client.ts'
import { directParts } from './s3-direct.ts'
import { abortUpload, s3Parts } from './s3-parts.ts'
import { upload } from './s3-upload.ts'
import type { IncompleteUpload, ObjectStore, StoredObject } from './types.ts'

/** Objects in an S3 bucket, created when missing: now or, if the server is unavailable, before the first object. */
export async function openS3Store(config: S3Config): Promise<ObjectStore> {
  const { bucket } = config
  const { client, open } = connect(config)
  const prepare = untilSuccess(async () => {
    if (!(await client.bucketExists(bucket)))
      await client.makeBucket(bucket, config.region).catch((error) => {
        // Another process has created it meanwhile.
        if (codeOf(error) !== 'BucketAlreadyOwnedByYou') throw error
      })
    await requestUploadExpiry(client, config)
  })
  // A process that starts while the store is unavailable does what it can without it.
  await prepare().catch((error) => {
    if (!isUnavailable(error)) throw error
  })

  async function get(key: string, range: { start: number; end?: number } = { start: 0 }) {
    const { start, end } = range
    const body = await orNull(client.getPartialObject(bucket, key, start, end === undefined ? 0 : end - start + 1))
    if (!body) return null
    const { headers } = body as IncomingMessage
    // Of the whole object; the response may contain a part of it.
    return { body, size: Number(headers['content-range']?.split('/')[1] ?? headers['content-length']) }
  }

  async function head(key: string) {
    try {
      const { size } = await client.statObject(bucket, key)
      return { size }
    } catch (error) {
      if (codeOf(error) !== 'NotFound') throw toOutage(error)
      // A response without a body may be a proxy's. That to a GET says more.
      const object = await get(key)
      object?.body.destroy()
      return object && { size: object.size }
    }
  }

  return {
    async put(key, body, { contentType }) {
      await prepare()
      const size = await upload(client, bucket, key, body, contentType)
      const stored = await head(key)
      if (stored?.size !== size) throw new Error(`the store has ${stored?.size} bytes of ${key} instead of ${size}`)
      return { size }
    },
    head,
    get,
    remove: (key) => client.removeObject(bucket, key),
    list: (prefix) => listObjects(client, bucket, prefix),
    parts: s3Parts(config, { client, open, prepare, head }),
    direct: config.direct && directParts(config, config.direct),
    incomplete: () => incompleteUploads(client, bucket),
    async check() {
      await prepare()
      if (!(await client.bucketExists(bucket))) throw new Error(`the bucket ${bucket} is missing`)
    },
  }
}

/** A day longer than the longest upload session, so that the sweep is first. */
const EXPIRY_DAYS = 8

/**
 * Requests that the store aborts incomplete uploads after eight days, where the bucket has no rules yet. A store without such
 * rules rejects this: there only the sweep removes them, and MinIO by itself, after `MINIO_API_STALE_UPLOADS_EXPIRY`.
 */
async function requestUploadExpiry(client: Client, { bucket, warn }: S3Config): Promise<void> {
  const rule = {
    ...{ ID: 'skyfolio-incomplete-uploads', Status: 'Enabled', Filter: { Prefix: '' } },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: EXPIRY_DAYS },
  }
  try {
    const rules = await client.getBucketLifecycle(bucket).catch((error) => {
      if (codeOf(error) === 'NoSuchLifecycleConfiguration') return null
      throw error
    })
    if (!rules) await client.setBucketLifecycle(bucket, { Rule: [rule] })
  } catch (error) {
    if (isUnavailable(error)) throw error
    if (codeOf(error) === 'AccessDenied') warn('the bucket gets no rule that ends incomplete uploads', error)
  }
}

/** Runs the work until it has succeeded once. */
function untilSuccess(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work().catch((error) => {
      done = undefined
      throw error
    })
    return done
  }
}

/** Null when the store says that the object is missing. */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (codeOf(error) === 'NoSuchKey') return null
    throw toOutage(error)
  }
}

async function* listObjects(client: Client, bucket: string, prefix: string): AsyncIterable<StoredObject> {
  for await (const { name, size, lastModified } of client.listObjectsV2(bucket, prefix, true)) {
    yield { key: name, size, modifiedAt: lastModified }
  }
}

/** Multipart uploads that were neither completed nor aborted, as far as the store reports them. */
async function* incompleteUploads(client: Client, bucket: string): AsyncIterable<IncompleteUpload> {
  // `listIncompleteUploads` asks for the parts of each, and fails when one ends meanwhile.
  for (let after = '', more = true; more; ) {
    const { uploads, isTruncated, nextKeyMarker } = await client.listIncompleteUploadsQuery(bucket, '', after, '', '')
    for (const { key, uploadId, initiated } of uploads) {
      yield { id: uploadId, startedAt: new Date(initiated), end: () => abortUpload(client, bucket, key, uploadId) }
    }
    after = nextKeyMarker
    more = isTruncated
  }
}
