import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openObjectStore } from '@skyfolio/kit'
import { hasMinio, MINIO_CREDENTIALS, startMinio, type TestServer, waitFor } from '@skyfolio/testkit'
import aws4 from 'aws4'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { temporaryCredentials } from '../src/object-store/s3-direct.ts'
import { s3Config } from './object-store-contract.ts'
import { beginUpload } from './object-store-parts-contract.ts'
import { send, testSignedParts } from './signed-parts-contract.ts'

const MINUTE = 60_000
/** The store and its server of temporary credentials. */
const configOf = (endpoint: string, warn: (what: string) => void = () => {}) => ({
  store: {
    ...{ endpoint, region: 'us-east-1', bucket: 'photos', direct: null },
    ...{ accessKeyId: MINIO_CREDENTIALS.accessKey, secretAccessKey: MINIO_CREDENTIALS.secretKey },
    ...{ timeoutMs: 5_000, connections: 2, warn },
  },
  direct: { publicEndpoint: endpoint, uploadKey: null, stsEndpoint: endpoint, roleArn: 'arn:aws:iam::1:role/uploads' },
})

afterEach(() => vi.useRealTimers())

const minio = await hasMinio()
if (minio) testSignedParts('MinIO, temporary credentials', startMinio, {})

describe.skipIf(!minio)('temporary credentials of MinIO', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startMinio()
  })
  afterAll(() => server?.stop())

  test('they store parts of uploads of their day, and do nothing else', async () => {
    const store = await openObjectStore(s3Config(server))
    await waitFor(() => store.check().then(() => true), { what: 'the store works' })
    const content = Buffer.from('part')
    const own = await beginUpload(store, 'originals/5000x', [content])
    const foreign = await beginUpload(store, 'originals/5001x', [content])
    const config = configOf(server.url)
    const credentials = await temporaryCredentials(config.store, config.direct)('originals/5000')
    if (!credentials) throw new Error('no credentials')
    const sign = (method: string, path: string, headers: Record<string, string> = {}) => {
      const { host } = new URL(server.url)
      const signed = aws4.sign(
        { service: 's3', region: 'us-east-1', signQuery: true, method, path, headers: { ...headers, host } },
        credentials,
      )
      return { method, url: server.url + signed.path, headers, content: Buffer.alloc(0) }
    }
    const put = async ({ upload: { key, uploadId }, parts: [part] }: typeof own) => {
      const headers = { 'content-length': '4', 'x-amz-checksum-sha256': part?.sha256.toString('base64') ?? '' }
      const path = `/photos/${key}?partNumber=1&uploadId=${uploadId}&X-Amz-Expires=60`
      return (await send({ ...sign('PUT', path, headers), content })).status
    }
    expect(await put(own)).toBe(200)
    expect(await put(foreign)).toBe(403)

    const { key, uploadId } = own.upload
    const requests = [
      ['GET', `/photos/${key}?`],
      ['GET', `/photos/${key}?uploadId=${uploadId}&`],
      ['GET', '/photos?list-type=2&'],
      ['GET', '/photos?uploads=&'],
      ['DELETE', `/photos/${key}?`],
      ['DELETE', `/photos/${key}?uploadId=${uploadId}&`],
      ['PUT', '/photos/renditions/5000x?'],
    ] as const
    for (const [method, path] of requests)
      expect(await send(sign(method, `${path}X-Amz-Expires=60`))).toMatchObject({ status: 403 })
  })
})

describe('the server of temporary credentials', () => {
  let requests: string[]
  let grants: boolean
  const problems: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push(body)
    if (!grants)
      return response.writeHead(403).end('<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>')
    const end = new Date(Date.now() + 15 * MINUTE).toISOString()
    const credentials =
      `<AccessKeyId>A${requests.length}</AccessKeyId><SecretAccessKey>S</SecretAccessKey>` +
      `<SessionToken>T</SessionToken><Expiration>${end}</Expiration>`
    response.end(
      `<AssumeRoleResponse><AssumeRoleResult><Credentials>${credentials}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    )
  })
  let credentialsOf: ReturnType<typeof temporaryCredentials>
  const keyOf = async (prefix: string) => (await credentialsOf(prefix))?.accessKeyId ?? null

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
    grants = true
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const config = configOf(url, (what) => problems.push(what))
    credentialsOf = temporaryCredentials(config.store, config.direct)
  }
  const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE)

  test('gets one request for each day in ten minutes', async () => {
    open()
    expect(await Promise.all([keyOf('originals/5000'), keyOf('originals/5000')])).toEqual(['A1', 'A1'])
    pass(9)
    expect(await keyOf('originals/5000')).toBe('A1')
    expect(await keyOf('originals/5001')).toBe('A2')
    pass(2)
    expect(await keyOf('originals/5000')).toBe('A3')
    expect(await keyOf('originals/5001')).toBe('A2')
    const form = new URLSearchParams(requests[1])
    expect(JSON.parse(form.get('Policy') ?? '').Statement).toEqual([
      { Effect: 'Allow', Action: ['s3:PutObject'], Resource: ['arn:aws:s3:::photos/originals/5001*'] },
    ])
    expect(form.get('RoleArn')).toBe('arn:aws:iam::1:role/uploads')
  })

  test('is reported when it gives none, and gets another request after a minute', async () => {
    open()
    grants = false
    expect(await Promise.all([keyOf('originals/5000'), keyOf('originals/5000')])).toEqual([null, null])
    expect(await keyOf('originals/5000')).toBeNull()
    expect(requests).toHaveLength(1)
    expect(problems).toHaveLength(1)
    pass(2)
    grants = true
    expect(await keyOf('originals/5000')).toBe('A2')
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
