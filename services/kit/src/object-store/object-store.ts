import { ConfigError } from '../process/config.ts'
import type { LineLogger } from '../process/repeated-lines.ts'
import { openDirectoryStore } from './directory.ts'
import { measured } from './measured.ts'
import type { DirectConfig } from './s3.ts'
import type { ObjectStore } from './types.ts'

const MB = 1024 * 1024

/** The values of `objectStoreSettings`, and of `directUploadSettings` where parts are signed. */
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
  storeMinFreeMegabytes?: number | undefined
  s3PublicEndpoint?: string | undefined
  s3UploadAccessKey?: string | undefined
  s3UploadSecretKey?: string | undefined
  s3StsEndpoint?: string | undefined
  s3UploadRoleArn?: string | undefined
  publicOrigin?: string | undefined
}

/** Opens the configured store; creates its folder or bucket when missing. */
export async function openObjectStore(config: ObjectStoreConfig, logger?: LineLogger): Promise<ObjectStore> {
  if (config.objectStore === 'dir') {
    if (config.s3PublicEndpoint !== undefined) throw new ConfigError('S3_PUBLIC_ENDPOINT requires OBJECT_STORE=s3')
    const root = required('OBJECT_STORE_DIR', config.objectStoreDir)
    return measured(await openDirectoryStore(root, (config.storeMinFreeMegabytes ?? 0) * MB))
  }
  // Loaded only where it is used: the client takes some 40 MB of memory, and every process loads kit.
  const { openS3Store } = await import('./s3.ts')
  const endpoint = required('S3_ENDPOINT', config.s3Endpoint)
  const store = await openS3Store({
    endpoint,
    region: config.s3Region,
    bucket: required('S3_BUCKET', config.s3Bucket),
    accessKey: required('S3_ACCESS_KEY', config.s3AccessKey),
    secretKey: required('S3_SECRET_KEY', config.s3SecretKey),
    timeoutMs: config.s3TimeoutSeconds * 1000,
    connections: config.s3Connections,
    direct: directConfig(config, endpoint),
    warn: (what, err) => logger?.warn({ err }, what),
  })
  return measured(store)
}

function directConfig(config: ObjectStoreConfig, endpoint: string): DirectConfig | null {
  if (config.s3PublicEndpoint === undefined) return null
  const { s3UploadAccessKey, s3UploadSecretKey } = config
  if (config.publicOrigin?.startsWith('https:') && config.s3PublicEndpoint.startsWith('http:'))
    throw new ConfigError(
      'S3_PUBLIC_ENDPOINT must be https as well: browsers send nothing to http from a page of https',
    )
  const uploadKey = s3UploadAccessKey !== undefined && {
    accessKey: s3UploadAccessKey,
    secretKey: required('S3_UPLOAD_SECRET_KEY', s3UploadSecretKey),
  }
  return {
    publicEndpoint: config.s3PublicEndpoint,
    pages: config.publicOrigin && new URL(config.publicOrigin).origin,
    uploadKey: uploadKey || null,
    stsEndpoint: config.s3StsEndpoint ?? endpoint,
    roleArn: config.s3UploadRoleArn,
  }
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new ConfigError(`${name} is required by this OBJECT_STORE`)
  return value
}
