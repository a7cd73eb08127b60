import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openObjectStore } from '@skyfolio/kit'
import { hasMinio, MINIO_CREDENTIALS, startMinio, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { partRequest, type S3Request, type S3Target, signPath } from '../src/object-store/s3-sign.ts'
import { type TemporaryCredentials, temporaryCredentials } from '../src/object-store/temporary-credentials.ts'
import { s3Config } from './object-store-contract.ts'
import { beginUpload } from './object-store-parts-contract.ts'
import { send, testSignedParts } from './signed-parts-contract.ts'

const MINUTE = 60_000
const mainKey = { accessKeyId: MINIO_CREDENTIALS.accessKey, secretAccessKey: MINIO_CREDENTIALS.secretKey }

afterEach(() => vi.useRealTimers())

test.each([
  [undefined, '77478345a9b1c11ed6cc3f696452e19d81919aca16fb2f4bbcc15775da83694b'],
  ['token/with+signs=', 'cde2e25d67b3a57c66562f2b9a87b7fbb6b43dc61bbf49dfa281129cd4ef88df'],
])('signatures are those of another signer, with the session token %s', (sessionToken, signature) => {
  // @smithy/signature-v4 5.7.5 made them.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-23T06:00:00Z') })
  const target = { endpoint: new URL('https://s3.example.org:9000'), region: 'eu-central-1', bucket: 'photos' }
  const key = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
  const upload = { key: 'originals/5000aaaaaaaaaaaaaaaaaaaaaaaaaaaa', uploadId: 'a-b_c.d~e+f/g=' }
  const sha256 = Buffer.from('WAlYeDFFV5U6tAd3fWElnokUVUF0Z6A9a21kTtlrQvU=', 'base64')
  const request = partRequest(upload, { number: 7, bytes: 5 * 1024 * 1024, sha256 })
  request.query['X-Amz-Content-Sha256'] = 'UNSIGNED-PAYLOAD'
  const path = signPath(target, sessionToken ? { ...key, sessionToken } : key, request, 600)
  expect(path).toContain(`X-Amz-Signature=${signature}`)
})

const minio = await hasMinio()
if (minio) testSignedParts('MinIO, temporary credentials', startMinio, {})

describe.skipIf(!minio)('temporary credentials of MinIO', () => {
  let server: TestServer
  let target: S3Target
  let credentialsOf: (prefix: string) => Promise<TemporaryCredentials | null>
  beforeAll(async () => {
    server = await startMinio()
    target = { endpoint: new URL(server.url), region: 'us-east-1', bucket: 'photos' }
    credentialsOf = temporaryCredentials({ ...target, mainKey, timeoutMs: 5_000, onProblem: () => {} })
  })
  afterAll(() => server?.stop())

  test('they store parts of uploads of their day, and do nothing else', async () => {
    const store = await openObjectStore(s3Config(server))
    await waitFor(() => store.check().then(() => true), { what: 'the store works' })
    const content = Buffer.from('part')
    const own = await beginUpload(store, 'originals/5000x', [content])
    const foreign = await beginUpload(store, 'originals/5001x', [content])
    const found = await credentialsOf('originals/5000')
    if (!found) throw new Error('no credentials')
    const url = (request: S3Request) => server.url + signPath(target, found.credentials, request, 60)
    const put = async ({ upload, parts }: typeof own) => {
      const request = partRequest(upload, parts[0] as (typeof parts)[0])
      return (await send({ url: url(request), headers: request.headers, content })).status
    }
    expect(await put(own)).toBe(200)
    expect(await put(foreign)).toBe(403)

    const none = { headers: {}, content: Buffer.alloc(0) }
    const { key, uploadId } = own.upload
    const requests: S3Request[] = [
      { method: 'GET', key, query: {} },
      { method: 'GET', key, query: { uploadId } },
      { method: 'GET', query: { 'list-type': '2' } },
      { method: 'GET', query: { uploads: '' } },
      { method: 'DELETE', key, query: {} },
      { method: 'DELETE', key, query: { uploadId } },
      { method: 'PUT', key: 'renditions/5000x', query: {} },
    ]
    for (const request of requests) {
      expect(await send({ method: request.method, url: url(request), ...none })).toMatchObject({ status: 403 })
    }
  })
})

describe('the server of temporary credentials', () => {
  let requests: string[]
  let lifeMs: number
  let grants: boolean
  const problems: unknown[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push(body)
    if (!grants)
      return response.writeHead(403).end('<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>')
    const end = new Date(Date.now() + lifeMs).toISOString()
    const credentials =
      `<AccessKeyId>A${requests.length}</AccessKeyId><SecretAccessKey>S</SecretAccessKey>` +
      `<SessionToken>T</SessionToken><Expiration>${end}</Expiration>`
    response.end(
      `<AssumeRoleResponse><AssumeRoleResult><Credentials>${credentials}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    )
  })
  let credentialsOf: ReturnType<typeof temporaryCredentials>
  const keyOf = async (prefix: string) => (await credentialsOf(prefix))?.credentials.accessKeyId ?? null

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const open = () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    requests = []
    problems.length = 0
    lifeMs = 15 * MINUTE
    grants = true
    credentialsOf = temporaryCredentials({
      endpoint: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      region: 'us-east-1',
      bucket: 'photos',
      mainKey,
      roleArn: 'arn:aws:iam::1:role/uploads',
      timeoutMs: 1_000,
      onProblem: (error) => problems.push(error),
    })
  }
  const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE)

  test('gets one request for each day, and another some minutes before the end', async () => {
    open()
    expect(await Promise.all([keyOf('originals/5000'), keyOf('originals/5000')])).toEqual(['A1', 'A1'])
    pass(9)
    expect(await keyOf('originals/5000')).toBe('A1')
    expect(await keyOf('originals/5001')).toBe('A2')
    pass(2)
    // The old ones are good until the new ones are there.
    expect(await keyOf('originals/5000')).toBe('A1')
    await waitFor(async () => (await keyOf('originals/5000')) === 'A3', { what: 'the new ones are used' })
    expect(await keyOf('originals/5001')).toBe('A2')
    const form = new URLSearchParams(requests[1])
    expect(JSON.parse(form.get('Policy') ?? '').Statement).toEqual([
      { Effect: 'Allow', Action: ['s3:PutObject'], Resource: ['arn:aws:s3:::photos/originals/5001*'] },
    ])
    expect(form.get('RoleArn')).toBe('arn:aws:iam::1:role/uploads')
  })

  test('is reported once when it gives none, and gets another request after a minute', async () => {
    open()
    grants = false
    expect(await Promise.all([keyOf('originals/5000'), keyOf('originals/5000')])).toEqual([null, null])
    expect(await keyOf('originals/5000')).toBeNull()
    expect(requests).toHaveLength(1)
    pass(2)
    expect(await keyOf('originals/5000')).toBeNull()
    expect(problems).toHaveLength(1)
    pass(2)
    grants = true
    expect(await keyOf('originals/5000')).toBe('A3')
  })

  test('may fail later: what it gave is used until a minute before its end', async () => {
    open()
    expect(await keyOf('originals/5000')).toBe('A1')
    grants = false
    pass(11)
    expect(await keyOf('originals/5000')).toBe('A1')
    await waitFor(() => problems.length === 1, { what: 'the rejection is reported' })
    pass(3.5)
    expect(await keyOf('originals/5000')).toBeNull()
  })
})

test('a key that may only put is used where there is one', async () => {
  const store = await openObjectStore({
    ...s3Config({ url: 'http://127.0.0.1:1' }),
    s3PublicEndpoint: 'https://photos.example.org',
    s3UploadAccessKey: 'putter',
    s3UploadSecretKey: 'of the putter',
  })
  const upload = { key: 'originals/5000x', uploadId: 'id', size: 4, partBytes: 4 }
  const signed = await store.direct?.sign(upload, [{ number: 1, bytes: 4, sha256: Buffer.alloc(32) }])
  const url = new URL(signed?.parts[0]?.url ?? '')
  expect(store.direct?.origin).toBe('https://photos.example.org')
  expect(url.origin + url.pathname).toBe('https://photos.example.org/photos/originals/5000x')
  expect(url.searchParams.get('X-Amz-Credential')).toMatch(/^putter\//)
  expect(url.searchParams.get('X-Amz-Expires')).toBe('600')
  expect(signed?.parts[0]?.headers).toEqual({ 'x-amz-checksum-sha256': Buffer.alloc(32).toString('base64') })
})

test('browsers have no access without a public address', async () => {
  const store = await openObjectStore(s3Config({ url: 'http://127.0.0.1:1' }))
  expect(store.direct).toBeNull()
})
