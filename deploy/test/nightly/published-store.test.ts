import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ObjectStore, openObjectStore } from '@skyfolio/kit'
import { hasMinio, MINIO_CREDENTIALS, startMinio, type TestServer, testDirectory, waitFor } from '@skyfolio/testkit'
import { findProgram, freePort, type RunningServer, startProcess } from '@skyfolio/testkit/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../local/paths.ts'

// The nginx that compose puts in front of its object store, with the file that compose gives it.
const CONFIGURATION = join(root, 'deploy/compose/published-store.conf')
const BUCKET = 'skyfolio'
const ORIGIN = 'http://127.0.0.1:8080'

const nginx = await findProgram({ programs: ['nginx'], folders: ['/usr/sbin', '/usr/local/sbin'] })
const hasAll = Boolean(process.env.CI) || (nginx !== null && (await hasMinio()))

let minio: TestServer
let proxy: RunningServer
let store: ObjectStore

beforeAll(async () => {
  if (!hasAll) return
  minio = await startMinio()
  proxy = await startNginx(new URL(minio.url).host)
  store = await openObjectStore({
    s3Endpoint: minio.url,
    s3PublicEndpoint: proxy.url,
    s3Region: 'us-east-1',
    s3Bucket: BUCKET,
    s3AccessKey: MINIO_CREDENTIALS.accessKey,
    s3SecretKey: MINIO_CREDENTIALS.secretKey,
  })
  // MinIO says that it is ready before it is.
  await waitFor(() => store.check().then(() => true), { what: 'the store works' })
})

afterAll(async () => {
  await proxy?.stop()
  await minio?.stop()
})

/** @throws Error when the file no longer has what only holds in a container */
async function startNginx(server: string): Promise<RunningServer> {
  if (!nginx) throw new Error('nginx is missing: apt-get install --no-install-recommends nginx-light')
  const folder = join(testDirectory(), 'published-store')
  await mkdir(folder)
  const port = await freePort()
  const places = { 'minio:9000': server, 'listen 8080;': `listen 127.0.0.1:${port};`, '/tmp/': `${folder}/` }
  let configuration = await readFile(CONFIGURATION, 'utf8')
  for (const [from, to] of Object.entries(places)) {
    if (!configuration.includes(from)) throw new Error(`${CONFIGURATION} has no ${from}`)
    configuration = configuration.replaceAll(from, to)
  }
  // As root it would give its folders to another user, who cannot reach them.
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  await writeFile(join(folder, 'nginx.conf'), user + configuration)
  const args = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log'), '-g', 'daemon off;']
  const url = `http://127.0.0.1:${port}`
  const ready = async () => {
    if ((await fetch(`${url}/healthz`)).status !== 204) throw new Error('not ready')
  }
  const logFile = join(folder, 'output.log')
  return startProcess({ name: 'nginx', command: nginx, args, url, logFile, stopSignal: 'TERM', ready })
}

interface Received {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Sends the path as it is. */
async function send(method: string, path: string, headers: object = {}, content?: Buffer): Promise<Received> {
  const { hostname, port } = new URL(proxy.url)
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const outgoing = httpRequest({ hostname, port, method, path, headers: { ...headers }, agent: false })
  outgoing.on('error', reject)
  outgoing.on('response', async (response) => {
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) })
    outgoing.destroy()
  })
  outgoing.end(content)
  return await promise
}

/** A part of an upload that was begun, with its signed URL. */
async function signedPart(content: Buffer) {
  const upload = {
    key: `originals/${randomBytes(16).toString('hex')}`,
    size: content.length,
    partBytes: content.length,
  }
  const begun = { ...upload, uploadId: await store.parts.begin(upload.key, upload.size) }
  const sha256 = createHash('sha256').update(content).digest()
  const parts = [{ number: 1, bytes: content.length, sha256 }]
  const [signed] = (await store.direct?.sign(begun, parts))?.parts ?? []
  if (!signed) throw new Error('nothing was signed')
  const { pathname, search } = new URL(signed.url)
  return { upload: begun, parts, pathname, path: pathname + search, headers: signed.headers }
}

describe.skipIf(!hasAll)('the published store', () => {
  const content = randomBytes(9_000_000)

  test('takes a signed part, and no part without a signature', async () => {
    const { upload, parts, path, pathname, headers } = await signedPart(content)
    const unsigned = `${pathname}?partNumber=1&uploadId=${upload.uploadId}`
    const length = { 'content-length': String(content.length) }
    expect(await send('PUT', unsigned, { ...headers, ...length }, content)).toMatchObject({ status: 403 })
    expect(await send('PUT', pathname, { ...headers, ...length }, content)).toMatchObject({ status: 403 })
    expect(await store.parts.list(upload)).toEqual([])
    expect(await send('PUT', path, { ...headers, ...length }, content)).toMatchObject({ status: 200 })
    expect(await store.parts.complete(upload, parts)).toEqual({ missing: [] })
    expect(await store.head(upload.key)).toEqual({ size: content.length })
  })

  test('permits the preflight request of a part', async () => {
    const { path } = await signedPart(content)
    const headers = {
      origin: ORIGIN,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-amz-checksum-sha256',
    }
    const { status, headers: allowed } = await send('OPTIONS', path, headers)
    expect(status).toBeLessThan(300)
    expect(allowed['access-control-allow-methods']).toContain('PUT')
  })

  test('takes no body above the largest part', async () => {
    const { path, headers } = await signedPart(content)
    const { status } = await send('PUT', path, { ...headers, 'content-length': String(34 * 1024 * 1024) })
    expect(status).toBe(413)
  })

  const original = `/${BUCKET}/originals/${'a'.repeat(32)}`
  test.each([
    ['GET', original],
    ['HEAD', original],
    ['DELETE', original],
    ['POST', `${original}?uploads`],
  ])('forbids %s of an original', async (method, path) => {
    expect((await send(method, path)).status).toBe(403)
  })

  test.each([
    ['the list of buckets', 'GET', '/'],
    ['the list of a bucket', 'GET', `/${BUCKET}?list-type=2`],
    ['the list of originals', 'GET', `/${BUCKET}/originals/`],
    ['a bucket', 'PUT', '/other'],
    ['the rules of the bucket', 'PUT', `/${BUCKET}?policy`],
    ['renditions', 'PUT', `/${BUCKET}/renditions/${'a'.repeat(32)}`],
    ['a longer name', 'PUT', `${original}/b`],
    ["MinIO's administration", 'PUT', '/minio/admin/v3/set-user-or-group-policy'],
    ["MinIO's metrics", 'GET', '/minio/v2/metrics/cluster'],
    ["MinIO's health", 'GET', '/minio/health/live'],
    ['temporary credentials', 'POST', '/?Action=AssumeRole&Version=2011-06-15'],
    ['a path that leads out', 'PUT', `/${BUCKET}/originals/../renditions/${'a'.repeat(32)}`],
    ['an encoded path that leads out', 'PUT', `/${BUCKET}/originals/%2e%2e/renditions/${'a'.repeat(32)}`],
    // What these lead to is an original, but the store gets the path as it was sent.
    ['a path that leads in', 'PUT', `/minio/admin/v3/../../..${original}`],
    ['an encoded path that leads in', 'PUT', `/minio/admin/v3/%2e%2e/%2e%2e/%2e%2e${original}`],
    ['doubled slashes', 'PUT', `/${original}`],
    ['an encoded letter', 'PUT', original.replace('originals', '%6friginals')],
  ])('knows nothing of %s', async (_what, method, path) => {
    expect((await send(method, path)).status).toBe(404)
  })
})
