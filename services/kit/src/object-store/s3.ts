import type { IncomingMessage } from 'node:http'
import { Client } from 'minio'
import { isUnavailable } from '../process/unavailable.ts'
import { directParts } from './direct-parts.ts'
import { checkKey } from './key.ts'
import { requestCors, requestUploadExpiry } from './s3-bucket.ts'
import { s3Parts } from './s3-parts.ts'
import { plainTag, S3Error, type S3Response, s3Requests } from './s3-request.ts'
import { boundedTransport, type TransportLimits } from './s3-transport.ts'
import { incompleteUploads, PART_BYTES, upload } from './s3-upload.ts'
import { temporaryCredentials } from './temporary-credentials.ts'
import type { DirectParts, ObjectStore, StoredObject } from './types.ts'

/** An upload waits for its credentials so long. */
const STS_TIMEOUT_MS = 5_000

type Transport = ReturnType<typeof boundedTransport>

export interface S3Config extends TransportLimits {
  /** For example `http://127.0.0.1:9000`. */
  endpoint: string
  region: string
  bucket: string
  accessKey: string
  secretKey: string
  /** Where browsers send parts to the server. */
  direct: DirectConfig | null
  /** Called with what does not work as the operator may expect. */
  warn(what: string, error?: unknown): void
}

export interface DirectConfig {
  /** The server as browsers reach it. */
  publicEndpoint: string
  /** Origin of the pages. */
  pages: string | undefined
  /** A key that may only put; null: temporary credentials. */
  uploadKey: { accessKey: string; secretKey: string } | null
  stsEndpoint: string
  roleArn: string | undefined
}

/** Objects in an S3 bucket, created when missing: now or, if the server is unavailable, before the first object. */
export async function openS3Store(config: S3Config): Promise<ObjectStore> {
  const { bucket, region } = config
  const endpoint = new URL(config.endpoint)
  const transport = boundedTransport(endpoint.protocol === 'https:', config)
  const client = connect(config, transport)
  const mainKey = { accessKeyId: config.accessKey, secretAccessKey: config.secretKey }
  const { send, open } = s3Requests({ endpoint, region, bucket }, mainKey, transport)
  const prepare = untilSuccess(async () => {
    if (!(await client.bucketExists(bucket))) await makeBucket(client, config)
    await requestUploadExpiry(send, config.warn)
    if (config.direct?.pages) await requestCors(send, config.direct.pages, config.warn)
  })
  // A process that starts while the store is unavailable does what it can without it.
  await prepare().catch((error) => {
    if (!isUnavailable(error)) throw error
  })

  async function head(key: string) {
    checkKey(key)
    const found = await orNull(client.statObject(bucket, key))
    if (found) return { size: found.size }
    // A response without a body may be a proxy's. That to a GET says more.
    const object = await get(key)
    object?.body.destroy()
    return object && { size: object.size }
  }

  async function describe(key: string) {
    const headers = { 'x-amz-checksum-mode': 'ENABLED' }
    const found = await send({ method: 'HEAD', key, query: {}, headers }).catch((error) => {
      if (error instanceof S3Error && error.status === 404) return error
      throw error
    })
    if (!(found instanceof S3Error)) return describeObject(found)
    // As in `head`.
    const object = await get(key)
    object?.body.destroy()
    if (object) throw found
    return null
  }

  async function get(key: string, range?: { start: number; end?: number }) {
    const body = await orNull(open({ method: 'GET', key, query: {}, headers: rangeHeader(range) }))
    return body && { body, size: sizeOf(body) }
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
    get,
    async remove(key) {
      checkKey(key)
      await client.removeObject(bucket, key)
    },
    list: (prefix) => listObjects(client, bucket, prefix),
    parts: s3Parts({ send, prepare, head, describe, warn: config.warn }),
    direct: config.direct ? openDirectParts(config, config.direct) : null,
    incomplete: () => incompleteUploads(client, bucket),
    async check() {
      await prepare()
      if (!(await client.bucketExists(bucket))) throw new Error(`the bucket ${bucket} is missing`)
    },
  }
}

function openDirectParts({ region, bucket, accessKey, secretKey, warn }: S3Config, direct: DirectConfig): DirectParts {
  const target = { endpoint: new URL(direct.publicEndpoint), region, bucket }
  if (direct.uploadKey) {
    const credentials = { accessKeyId: direct.uploadKey.accessKey, secretAccessKey: direct.uploadKey.secretKey }
    return directParts(target, async () => ({ credentials, expiresAt: Number.POSITIVE_INFINITY }))
  }
  const credentials = temporaryCredentials({
    ...{ region, bucket, roleArn: direct.roleArn, timeoutMs: STS_TIMEOUT_MS },
    onProblem: (error) => warn('no temporary credentials: parts of uploads go through the gateway', error),
    endpoint: new URL(direct.stsEndpoint),
    mainKey: { accessKeyId: accessKey, secretAccessKey: secretKey },
  })
  return directParts(target, credentials)
}

function connect({ endpoint, region, accessKey, secretKey }: S3Config, transport: Transport): Client {
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
    ...transport,
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

/** None for the whole object, since an empty one has no range. */
function rangeHeader({ start, end }: { start: number; end?: number } = { start: 0 }): Record<string, string> {
  return start === 0 && end === undefined ? {} : { range: `bytes=${start}-${end ?? ''}` }
}

/** Without a SHA-256 where the store keeps none. */
function describeObject({ headers }: S3Response) {
  const sha256 = headers['x-amz-checksum-sha256'] ?? ''
  return {
    size: Number(headers['content-length']),
    sha256: Buffer.from(String(sha256), 'base64'),
    etag: plainTag(headers.etag),
  }
}

/** The size of the whole object; the response may contain a part of it. */
function sizeOf({ headers }: IncomingMessage): number {
  return Number(headers['content-range']?.split('/')[1] ?? headers['content-length'])
}

async function* listObjects(client: Client, bucket: string, prefix: string): AsyncIterable<StoredObject> {
  for await (const { name, size, lastModified } of client.listObjectsV2(bucket, prefix, true)) {
    yield { key: name, size, modifiedAt: lastModified }
  }
}
