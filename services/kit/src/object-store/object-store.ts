import type { Readable } from 'node:stream'
import { ConfigError } from '../process/config.ts'
import { openDirectoryStore } from './directory.ts'
import { measured } from './measured.ts'

export interface StoredObject {
  key: string
  size: number
  modifiedAt: Date
}

/** An upload that began and has not ended: it runs, or what ran it is gone. */
export interface IncompleteUpload {
  startedAt: Date
  /** Ends it and gives its bytes free. */
  end(): Promise<void>
}

/** Where bytes are kept. Keys are paths of letters, digits, dots, dashes and underscores. */
export interface ObjectStore {
  /** Stores a stream; resolves only when it is durable and the store confirmed size and checksum. A failure leaves nothing. */
  put(key: string, body: Readable, o: { contentType: string }): Promise<{ size: number }>
  head(key: string): Promise<{ size: number } | null>
  /** Bytes `start` to `end` (both included; default: all). `size` is the whole object's. Null when there is none. */
  get(key: string, range?: { start: number; end?: number }): Promise<{ body: Readable; size: number } | null>
  /** Removes an object; one that is not there is no error. */
  remove(key: string): Promise<void>
  /** The objects whose keys begin with `prefix`, in ascending order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Uploads that have not ended, as far as the store tells. */
  incomplete(): AsyncIterable<IncompleteUpload>
  /** Throws when the store cannot be used. */
  check(): Promise<void>
}

/** The values of `objectStoreSettings`. */
export interface ObjectStoreConfig {
  objectStore: 'dir' | 's3'
  objectStoreDir?: string | undefined
  s3Endpoint?: string | undefined
  s3Region: string
  s3Bucket?: string | undefined
  s3AccessKey?: string | undefined
  s3SecretKey?: string | undefined
  s3TimeoutSeconds: number
  s3Connections: number
}

/** Opens the store that the configuration names, making its folder or bucket when missing. */
export async function openObjectStore(config: ObjectStoreConfig): Promise<ObjectStore> {
  if (config.objectStore === 'dir')
    return measured(await openDirectoryStore(needed('OBJECT_STORE_DIR', config.objectStoreDir)))
  // Loaded only where it is used: the client takes some 40 MB of memory, and every process loads the kit.
  const { openS3Store } = await import('./s3.ts')
  const store = await openS3Store({
    endpoint: needed('S3_ENDPOINT', config.s3Endpoint),
    region: config.s3Region,
    bucket: needed('S3_BUCKET', config.s3Bucket),
    accessKey: needed('S3_ACCESS_KEY', config.s3AccessKey),
    secretKey: needed('S3_SECRET_KEY', config.s3SecretKey),
    timeoutMs: config.s3TimeoutSeconds * 1000,
    connections: config.s3Connections,
  })
  return measured(store)
}

function needed(name: string, value: string | undefined): string {
  if (value === undefined) throw new ConfigError(`${name} is required by this OBJECT_STORE`)
  return value
}
