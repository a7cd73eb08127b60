import { ConfigError } from '../process/config.ts'
import { openDirectoryStore } from './directory.ts'
import { measured } from './measured.ts'
import type { ObjectStore } from './types.ts'

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

/** Opens the configured store; creates its folder or bucket when missing. */
export async function openObjectStore(config: ObjectStoreConfig): Promise<ObjectStore> {
  if (config.objectStore === 'dir')
    return measured(await openDirectoryStore(required('OBJECT_STORE_DIR', config.objectStoreDir)))
  // Loaded only where it is used: the client takes some 40 MB of memory, and every process loads kit.
  const { openS3Store } = await import('./s3.ts')
  const store = await openS3Store({
    endpoint: required('S3_ENDPOINT', config.s3Endpoint),
    region: config.s3Region,
    bucket: required('S3_BUCKET', config.s3Bucket),
    accessKey: required('S3_ACCESS_KEY', config.s3AccessKey),
    secretKey: required('S3_SECRET_KEY', config.s3SecretKey),
    timeoutMs: config.s3TimeoutSeconds * 1000,
    connections: config.s3Connections,
  })
  return measured(store)
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new ConfigError(`${name} is required by this OBJECT_STORE`)
  return value
}
