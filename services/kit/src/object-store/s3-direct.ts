import http from 'node:http'
import https from 'node:https'
import aws4 from 'aws4'
import { AssumeRoleProvider } from 'minio/dist/esm/AssumeRoleProvider.mjs'
import { within } from '../process/within.ts'
import type { DirectConfig, S3Config } from './s3-client.ts'
import type { DirectParts, PartedUpload, PartSpec } from './types.ts'

const URL_SECONDS = 600
/** The least that MinIO and Amazon grant. */
const GRANTED_SECONDS = 900
/** For so long they are used: what they sign then lives for some minutes. */
const KEPT_MS = 10 * 60_000
/** After a rejection or an outage nothing is requested for so long: parts go through the gateway meanwhile. */
const PAUSE_MS = 60_000
/** An upload waits for its credentials so long. */
const TOKEN_TIMEOUT_MS = 5_000

interface UploadCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** The signature covers the host, the path, the query and the headers: it fits this upload, number, length and content only. */
export function signPart(
  { endpoint, region, bucket }: Pick<S3Config, 'endpoint' | 'region' | 'bucket'>,
  credentials: Omit<UploadCredentials, 'expiresAt'>,
  { key, uploadId }: PartedUpload,
  part: PartSpec,
  seconds = URL_SECONDS,
) {
  const { origin, host } = new URL(endpoint)
  const headers = { 'x-amz-checksum-sha256': part.sha256.toString('base64') }
  const query = new URLSearchParams({ partNumber: String(part.number), uploadId, 'X-Amz-Expires': String(seconds) })
  const { path } = aws4.sign(
    {
      ...{ service: 's3', region, signQuery: true, method: 'PUT', path: `/${bucket}/${key}?${query}` },
      // A browser itself sends the length.
      headers: { ...headers, host, 'content-length': String(part.bytes) },
    },
    credentials,
  )
  return { number: part.number, url: origin + path, headers }
}

/** Signs parts for the store as browsers reach it. */
export function directParts(config: S3Config, direct: DirectConfig): DirectParts {
  const target = { ...config, endpoint: direct.publicEndpoint }
  const { uploadKey } = direct
  const ownKey = uploadKey && { ...uploadKey, expiresAt: Number.POSITIVE_INFINITY }
  const credentialsOf = ownKey ? async () => ownKey : temporaryCredentials(config, direct)

  return {
    origin: new URL(direct.publicEndpoint).origin,
    async sign(upload, parts) {
      // The folder and the first four characters of the name, which change with the day (`DirectParts`).
      const credentials = await credentialsOf(upload.key.slice(0, upload.key.lastIndexOf('/') + 5))
      if (!credentials) return null
      const now = Date.now()
      const seconds = Math.min(URL_SECONDS, Math.floor((credentials.expiresAt - now) / 1000))
      const signed = parts.map((part) => signPart(target, credentials, upload, part, seconds))
      return { parts: signed, expiresAt: new Date(now + seconds * 1000) }
    },
  }
}

/** Credentials that may put objects below the prefix and nothing else; null while there are none. */
export function temporaryCredentials(config: S3Config, direct: DirectConfig) {
  const all = new Map<string, { until: number; credentials: Promise<UploadCredentials | null> }>()

  return (prefix: string): Promise<UploadCredentials | null> => {
    const now = Date.now()
    for (const [other, { until }] of all) if (until <= now) all.delete(other)
    const known = all.get(prefix)
    if (known) return known.credentials
    const kept = { until: now + KEPT_MS, credentials: requestCredentials(config, direct, prefix).catch(pause) }
    function pause(error: unknown): null {
      kept.until = Date.now() + PAUSE_MS
      config.warn('no temporary credentials: parts of uploads go through the gateway', error)
      return null
    }
    all.set(prefix, kept)
    return kept.credentials
  }
}

async function requestCredentials(
  { region, bucket, accessKeyId: accessKey, secretAccessKey: secretKey }: S3Config,
  { stsEndpoint, roleArn }: DirectConfig,
  prefix: string,
): Promise<UploadCredentials> {
  const statement = { Effect: 'Allow', Action: ['s3:PutObject'], Resource: [`arn:aws:s3:::${bucket}/${prefix}*`] }
  const { Agent } = stsEndpoint.startsWith('https:') ? https : http
  const agent = new Agent()
  const provider = new AssumeRoleProvider({
    ...{ stsEndpoint, region, accessKey, secretKey, durationSeconds: GRANTED_SECONDS },
    ...{
      roleSessionName: 'skyfolio-uploads',
      policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
    },
    ...(roleArn === undefined ? {} : { roleArn }),
    transportAgent: agent,
  })
  const expiresAt = Date.now() + GRANTED_SECONDS * 1000
  // The provider has no time limit: its connection ends with the agent.
  const found = await within(TOKEN_TIMEOUT_MS, provider.refreshCredentials()).finally(() => agent.destroy())
  const credentials = {
    accessKeyId: found.getAccessKey(),
    secretAccessKey: found.getSecretKey(),
    sessionToken: found.getSessionToken(),
  }
  if (!credentials.accessKeyId || !credentials.secretAccessKey || !credentials.sessionToken)
    throw new Error('the server of temporary credentials returned none')
  return { ...credentials, expiresAt }
}
