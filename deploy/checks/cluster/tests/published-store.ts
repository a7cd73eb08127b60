import { randomBytes } from 'node:crypto'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { openSignedInClient, type SignedInClient } from '../../../local/signed-in-client.ts'
import { declareFile, partOf, sha256Of } from '../../declared-file.ts'
import { createBasePhotos } from '../../faults/upload-files.ts'
import { countRestarts, installRelease, listAllPods, target, waitUntil, waitUntilSettled } from '../cluster.ts'
import { inSeconds, type Outcome } from '../outcome.ts'

const SETTLE_TIMEOUT_SECONDS = 180
const CONNECT_TIMEOUT_MS = 5_000
const PART_TIMEOUT_MS = 60_000
const PROCESSED_TIMEOUT_SECONDS = 60

interface SignedPart {
  number: number
  url: string
  headers: Record<string, string>
}

interface Session {
  id: string
  uploads: SignedPart[] | null
}

/** Publishes the chart's store through a node port, sends a photo straight to it, and takes it back. */
export async function publishedStore(): Promise<Outcome> {
  const { port } = new URL(target.storeUrl)
  const client = await openSignedInClient(target.url, {
    username: `direct-${Date.now()}`,
    password: randomBytes(12).toString('hex'),
  })
  const before = { reachable: await isReachable(), published: await isPublished() }
  const start = performance.now()
  await installRelease(target.tag, [
    `objectStore.publicEndpoint=${target.storeUrl}`,
    'objectStore.publish.enabled=true',
    'objectStore.publish.service.type=NodePort',
    `objectStore.publish.service.nodePort=${port}`,
  ])
  await waitUntilSettled(SETTLE_TIMEOUT_SECONDS)
  const published = (performance.now() - start) / 1000
  const checks: Record<string, boolean> = {
    'before, the store is neither reachable nor published': !before.reachable && !before.published,
    'published, pages know it and may connect to the store': (await isPublished()) && (await pagesMayConnect()),
    ...(await preflight()),
    ...(await sendStraight(client)),
  }
  await installRelease(target.tag)
  await waitUntilSettled(SETTLE_TIMEOUT_SECONDS)
  checks['afterwards, the store is neither reachable nor published'] = !(await isReachable()) && !(await isPublished())
  checks['no container restarted'] = countRestarts(await listAllPods()) === 0
  return { figures: { 'until the store was published': inSeconds(published) }, checks }
}

async function isReachable(): Promise<boolean> {
  return fetch(target.storeUrl, { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).then(
    () => true,
    () => false,
  )
}

async function isPublished(): Promise<boolean> {
  const response = await fetch(`${target.url}/api/config`)
  return ((await response.json()) as { uploads: { direct: boolean } }).uploads.direct
}

async function pagesMayConnect(): Promise<boolean> {
  const { headers } = await fetch(target.url)
  return /connect-src [^;]*/.exec(headers.get('content-security-policy') ?? '')?.[0].includes(target.storeUrl) ?? false
}

/** As browsers request it before each part, from our page and from another one. */
async function preflight(): Promise<Record<string, boolean>> {
  const allowed = async (origin: string) => {
    const headers = {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-amz-checksum-sha256',
    }
    const response = await fetch(`${target.storeUrl}/skyfolio/originals/a`, { method: 'OPTIONS', headers })
    return response.headers.get('access-control-allow-origin')
  }
  return {
    'only our pages may send parts':
      (await allowed(target.url)) === target.url && !(await allowed('http://other.example')),
  }
}

async function sendStraight(client: SignedInClient): Promise<Record<string, boolean>> {
  const bytes = await twoParts()
  const file = declareFile('straight.jpg', bytes, UPLOAD_PARTS.minBytes)
  const { results } = (await client.call('POST', '/api/upload-sessions', { files: [file] })) as {
    results: { session?: Session }[]
  }
  const session = results[0]?.session
  const parts = (session?.uploads ?? []).map((signed) => ({
    signed,
    body: partOf(bytes, signed.number, file.partBytes),
  }))
  const send = async ({ url, headers }: SignedPart, body: Buffer) => {
    const signal = AbortSignal.timeout(PART_TIMEOUT_MS)
    return (await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body), signal })).status
  }
  const wrong = await Promise.all(parts.map(({ signed, body }) => send(signed, Buffer.alloc(body.length, 1))))
  const right = await Promise.all(parts.map(({ signed, body }) => send(signed, body)))
  const photo = (await client.call('POST', `/api/upload-sessions/${session?.id}/complete`, {})) as {
    id: number
    url: string
  }
  const late = await Promise.all(parts.map(({ signed, body }) => send(signed, body)))
  const listed = await fetch(`${target.storeUrl}/skyfolio?list-type=2`)
  const original = await fetch(target.url + photo.url, { headers: { cookie: client.cookie } })
  return {
    'both parts were signed for the published address':
      parts.length === 2 && parts.every(({ signed }) => signed.url.startsWith(target.storeUrl)),
    'other bytes were rejected': wrong.every((status) => status >= 400),
    'the parts went straight to the store': right.every((status) => status === 200),
    'after the completion no part was taken': late.every((status) => status >= 400),
    'nobody lists the store': listed.status === 403,
    'the photo has its bytes and is ready':
      sha256Of(Buffer.from(await original.arrayBuffer())) === file.sha256 && (await isReady(client, photo.id)),
  }
}

/** A photo with comments after its start marker. */
async function twoParts(): Promise<Buffer> {
  const [photo = Buffer.alloc(0)] = await createBasePhotos()
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), randomBytes(65_533)])
  const comments = Array.from({ length: Math.ceil(UPLOAD_PARTS.minBytes / comment.length) }, () => comment)
  return Buffer.concat([photo.subarray(0, 2), ...comments, photo.subarray(2)])
}

async function isReady(client: SignedInClient, id: number): Promise<boolean> {
  let status = 'processing'
  await waitUntil('the photo is processed', PROCESSED_TIMEOUT_SECONDS, async () => {
    const photos = (await client.call('GET', `/api/photos?ids=${id}`)) as { status: string }[]
    status = photos[0]?.status ?? 'missing'
    return status !== 'processing'
  })
  return status === 'ready'
}
