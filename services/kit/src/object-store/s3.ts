import { Client } from 'minio'
import { isUnavailable } from '../process/unavailable.ts'
import { checkKey } from './key.ts'
import { boundedTransport, type TransportLimits } from './s3-transport.ts'
import { incompleteUploads, PART_BYTES, requestUploadExpiry, upload } from './s3-upload.ts'
import type { ObjectStore, StoredObject } from './types.ts'

export interface S3Config extends TransportLimits {
  /** For example `http://127.0.0.1:9000`. */
  endpoint: string
  region: string
  bucket: string
  accessKey: string
  secretKey: string
}

/** Objects in an S3 bucket, created when missing: now or, if the server is unavailable, before the first object. */
export async function openS3Store(config: S3Config): Promise<ObjectStore> {
  const { bucket } = config
  const client = connect(config)
  const prepare = untilSuccess(async () => {
    if (!(await client.bucketExists(bucket))) await makeBucket(client, config)
    await requestUploadExpiry(client, bucket)
  })
  // A process that starts while the store is unavailable does what it can without it.
  await prepare().catch((error) => {
    if (!isUnavailable(error)) throw error
  })

  async function head(key: string) {
    checkKey(key)
    const found = await orNull(client.statObject(bucket, key))
    return found && { size: found.size }
  }

  return {
    async put(key, body, { contentType }) {
      checkKey(key)
      await prepare()
      const size = await upload(client, bucket, key, body, contentType)
      const stored = await head(key)
      if (stored?.size !== size) throw new Error(`the store has ${stored?.size} bytes of ${key} instead of ${size}`)
      return { size }
    },
    head,
    async get(key, range) {
      checkKey(key)
      // For the client a length of 0 means "to the end".
      const length = range?.end === undefined ? 0 : range.end - range.start + 1
      const body = await orNull(client.getPartialObject(bucket, key, range?.start ?? 0, length))
      return body && { body, size: sizeOf(body as typeof body & { headers: Record<string, string> }) }
    },
    async remove(key) {
      checkKey(key)
      await client.removeObject(bucket, key)
    },
    list: (prefix) => listObjects(client, bucket, prefix),
    incomplete: () => incompleteUploads(client, bucket),
    async check() {
      await prepare()
      if (!(await client.bucketExists(bucket))) throw new Error(`the bucket ${bucket} is missing`)
    },
  }
}

function connect({ endpoint, region, accessKey, secretKey, ...limits }: S3Config): Client {
  const { hostname, port, protocol } = new URL(endpoint)
  const useSSL = protocol === 'https:'
  return new Client({
    endPoint: hostname,
    port: Number(port) || (useSSL ? 443 : 80),
    useSSL,
    region,
    accessKey,
    secretKey,
    partSize: PART_BYTES,
    // The caller decides what to retry, and when.
    retryOptions: { disableRetry: true },
    ...boundedTransport(useSSL, limits),
  })
}

async function makeBucket(client: Client, { bucket, region }: S3Config): Promise<void> {
  try {
    await client.makeBucket(bucket, region)
  } catch (error) {
    // Another process has created it meanwhile.
    if ((error as { code?: string }).code !== 'BucketAlreadyOwnedByYou') throw error
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

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (['NotFound', 'NoSuchKey'].includes((error as { code?: string }).code ?? '')) return null
    throw error
  }
}

/** The size of the whole object; the response may contain a part of it. */
function sizeOf({ headers }: { headers: Record<string, string> }): number {
  return Number(headers['content-range']?.split('/')[1] ?? headers['content-length'])
}

async function* listObjects(client: Client, bucket: string, prefix: string): AsyncIterable<StoredObject> {
  for await (const { name, size, lastModified } of client.listObjectsV2(bucket, prefix, true)) {
    yield { key: name, size, modifiedAt: lastModified }
  }
}
