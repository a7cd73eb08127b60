import aws4 from 'aws4'
import { exchange } from './s3-request.ts'
import type { S3Credentials } from './s3-sign.ts'
import { boundedTransport } from './s3-transport.ts'

/** The least that MinIO and Amazon grant. */
const GRANTED_SECONDS = 900
/** Credentials are renewed before their end, so that what they sign lives for some minutes. */
const RENEWAL_MS = 5 * 60_000
/** Below it the old ones are not used either, when there are no new ones. */
const LEAST_MS = 60_000
/** After a rejection or an outage nothing is requested for so long: parts go another way meanwhile. */
const PAUSE_MS = 60_000
const CONNECTIONS = 2

export interface TemporaryCredentials {
  credentials: S3Credentials
  /** Milliseconds since 1970. */
  expiresAt: number
}

export interface TokenServerOptions {
  /** The server of temporary credentials (STS). */
  endpoint: URL
  region: string
  bucket: string
  /** Of whom the server gives credentials with fewer rights. */
  mainKey: S3Credentials
  roleArn?: string | undefined
  timeoutMs: number
  /** Called with the first error after a success. */
  onProblem(error: unknown): void
}

interface Kept {
  current: TemporaryCredentials | null
  renewal: Promise<void> | null
  pausedUntil: number
}

/** Credentials that may put objects below the prefix and nothing else. For each prefix they are requested once and kept. */
export function temporaryCredentials(options: TokenServerOptions) {
  const request = tokenRequest(options)
  const all = new Map<string, Kept>()
  let isWorking = true

  async function renew(prefix: string, kept: Kept): Promise<void> {
    try {
      kept.current = await request(policyFor(options.bucket, prefix))
      isWorking = true
    } catch (error) {
      kept.pausedUntil = Date.now() + PAUSE_MS
      if (isWorking) options.onProblem(error)
      isWorking = false
    } finally {
      kept.renewal = null
    }
  }

  return async (prefix: string): Promise<TemporaryCredentials | null> => {
    const kept = all.get(prefix) ?? { current: null, renewal: null, pausedUntil: 0 }
    if (!all.has(prefix)) {
      // Those of former days.
      for (const [other, { current, renewal }] of all) if (!renewal && remaining(current) <= 0) all.delete(other)
      all.set(prefix, kept)
    }
    if (remaining(kept.current) < RENEWAL_MS && Date.now() >= kept.pausedUntil) {
      kept.renewal ??= renew(prefix, kept)
      // Those that are still good are used meanwhile.
      if (remaining(kept.current) < LEAST_MS) await kept.renewal
    }
    return remaining(kept.current) < LEAST_MS ? null : kept.current
  }
}

const remaining = (kept: TemporaryCredentials | null) => (kept ? kept.expiresAt - Date.now() : 0)

function policyFor(bucket: string, prefix: string): string {
  const statement = { Effect: 'Allow', Action: ['s3:PutObject'], Resource: [`arn:aws:s3:::${bucket}/${prefix}*`] }
  return JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
}

function tokenRequest({ endpoint, region, mainKey, roleArn, timeoutMs }: TokenServerOptions) {
  const { transport, transportAgent } = boundedTransport(endpoint.protocol === 'https:', {
    timeoutMs,
    connections: CONNECTIONS,
  })
  return async (policy: string): Promise<TemporaryCredentials> => {
    const form = new URLSearchParams({
      Action: 'AssumeRole',
      Version: '2011-06-15',
      DurationSeconds: String(GRANTED_SECONDS),
      RoleSessionName: 'skyfolio-uploads',
      Policy: policy,
      ...(roleArn === undefined ? {} : { RoleArn: roleArn }),
    })
    const { hostname, port, host, pathname, protocol } = endpoint
    const body = form.toString()
    const request = { service: 'sts', region, method: 'POST', path: pathname, body, headers: { host } }
    const { headers } = aws4.sign(request, mainKey)
    const outgoing = transport.request({
      ...{ protocol, hostname, port, agent: transportAgent },
      ...{ method: 'POST', path: pathname, headers },
    })
    const { document } = await exchange(outgoing, Buffer.from(body))
    const found = document.AssumeRoleResponse?.AssumeRoleResult?.Credentials ?? {}
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration = '' } = found
    const expiresAt = Date.parse(Expiration)
    if (!AccessKeyId || !SecretAccessKey || !SessionToken || Number.isNaN(expiresAt))
      throw new Error('the server of temporary credentials returned none')
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
    return { credentials, expiresAt }
  }
}
