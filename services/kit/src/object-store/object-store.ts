import { ConfigError } from '../process/config.ts'
import type { LineLogger } from '../process/repeated-lines.ts'
import { openDirectoryStore } from './directory.ts'
import { checkedAndMeasured } from './measured.ts'
import type { DirectConfig } from './s3-client.ts'
import type { ObjectStore } from './types.ts'

/** Without data for so long a call fails: within the minute that the gateway waits for a service, so that users get a sentence. */
const TIMEOUT_MS = 20_000
/** Of one process to the S3 server; further calls wait. More than the downloads that the gateway grants to one network. */
const CONNECTIONS = 512
/** Free space that uploads leave on the disk of a directory; below it they get 507. The renditions of what was taken need it. */
const MIN_FREE_BYTES = 512 * 1024 * 1024

/** The values of `objectStoreSettings`, and of `directUploadSettings` where parts are signed. */
export interface ObjectStoreConfig {
  objectStoreDir?: string | undefined
  s3Endpoint?: string | undefined
  s3Region: string
  s3Bucket?: string | undefined
  s3AccessKey?: string | undefined
  s3SecretKey?: string | undefined
  s3PublicEndpoint?: string | undefined
  s3UploadAccessKey?: string | undefined
  s3UploadSecretKey?: string | undefined
  s3StsEndpoint?: string | undefined
  s3UploadRoleArn?: string | undefined
  publicOrigin?: string | undefined
}

interface ObjectStoreOptions {
  logger?: LineLogger
  timeoutMs?: number
  connections?: number
  minFreeBytes?: number
}

/** Opens the configured store; creates its folder or bucket when missing. */
export async function openObjectStore(
  config: ObjectStoreConfig,
  options: ObjectStoreOptions = {},
): Promise<ObjectStore> {
  const { s3Endpoint: endpoint, objectStoreDir: root } = config
  if (endpoint === undefined) {
    if (root === undefined) throw new ConfigError('OBJECT_STORE_DIR or S3_ENDPOINT is required')
    if (config.s3PublicEndpoint !== undefined) throw new ConfigError('S3_PUBLIC_ENDPOINT requires S3_ENDPOINT')
    return checkedAndMeasured(await openDirectoryStore(root, options.minFreeBytes ?? MIN_FREE_BYTES))
  }
  if (root !== undefined)
    throw new ConfigError('OBJECT_STORE_DIR and S3_ENDPOINT are both set: only one has the objects')
  // Loaded only where it is used: the client takes some 40 MB of memory, and every process loads kit.
  const { openS3Store } = await import('./s3.ts')
  const store = await openS3Store({
    endpoint,
    region: config.s3Region,
    bucket: required('S3_BUCKET', config.s3Bucket),
    accessKeyId: required('S3_ACCESS_KEY', config.s3AccessKey),
    secretAccessKey: required('S3_SECRET_KEY', config.s3SecretKey),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    connections: options.connections ?? CONNECTIONS,
    direct: directConfig(config, endpoint),
    warn: (what, err) => options.logger?.warn({ err }, what),
  })
  return checkedAndMeasured(store)
}

function directConfig(config: ObjectStoreConfig, endpoint: string): DirectConfig | null {
  if (config.s3PublicEndpoint === undefined) return null
  const { s3UploadAccessKey, s3UploadSecretKey } = config
  if (config.publicOrigin?.startsWith('https:') && config.s3PublicEndpoint.startsWith('http:'))
    throw new ConfigError(
      'S3_PUBLIC_ENDPOINT must be https as well: browsers send nothing to http from a page of https',
    )
  const uploadKey = s3UploadAccessKey !== undefined && {
    accessKeyId: s3UploadAccessKey,
    secretAccessKey: required('S3_UPLOAD_SECRET_KEY', s3UploadSecretKey),
  }
  return {
    publicEndpoint: config.s3PublicEndpoint,
    uploadKey: uploadKey || null,
    stsEndpoint: config.s3StsEndpoint ?? endpoint,
    roleArn: config.s3UploadRoleArn,
  }
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new ConfigError(`${name} is required beside S3_ENDPOINT`)
  return value
}
