import { randomBytes } from 'node:crypto'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { openSignedInClient, type SignedInClient } from '../../../local/signed-in-client.ts'
import { declareFile, sha256Of } from '../../declared-file.ts'
import { generatePhotos } from '../../load/seed-folders.ts'
import { countRestarts, installRelease, listAllPods, target, waitUntil, waitUntilSettled } from '../cluster.ts'
import { type Outcome, took } from '../outcome.ts'

const SETTLE_TIMEOUT_SECONDS = 180
const CONNECT_TIMEOUT_MS = 5_000
const PART_TIMEOUT_MS = 60_000
const PROCESSED_TIMEOUT_SECONDS = 60

const PHOTO = { width: 1536, height: 1024 }

interface Session {
  id: string
  uploads: { url: string; headers: Record<string, string> }[] | null
}

/** Publishes the chart's store through a node port, sends a photo straight to it, and takes it back. */
export async function publishedStore({ figures, checks }: Outcome): Promise<void> {
  const { port } = new URL(target.storeUrl)
  const account = { username: `direct-${Date.now()}`, password: randomBytes(12).toString('hex') }
  const client = await openSignedInClient(target.url, account)
  const isPrivate = async () => !(await isReachable()) && !(await isPublished())
  checks['before, the store is neither reachable nor published'] = await isPrivate()
  const publish = [
    `objectStore.publicEndpoint=${target.storeUrl}`,
    'objectStore.publish.enabled=true',
    'objectStore.publish.service.type=NodePort',
    `objectStore.publish.service.nodePort=${port}`,
  ]
  figures['until the store was published'] = await took(installRelease(target.tag, publish))
  await waitUntilSettled(SETTLE_TIMEOUT_SECONDS)
  checks['published, pages know it and may connect to the store'] = (await isPublished()) && (await pagesMayConnect())
  checks['only our pages may send parts'] =
    (await allowedOrigin(target.url)) === target.url && !(await allowedOrigin('http://other.example'))
  Object.assign(checks, await sendStraight(client))
  await installRelease(target.tag)
  await waitUntilSettled(SETTLE_TIMEOUT_SECONDS)
  checks['afterwards, the store is neither reachable nor published'] = await isPrivate()
  checks['no container restarted'] = countRestarts(await listAllPods()) === 0
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

/** Whom the store allows to send parts, as browsers ask it before each of them. */
async function allowedOrigin(origin: string): Promise<string | null> {
  const headers = {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'x-amz-checksum-sha256',
  }
  const response = await fetch(`${target.storeUrl}/skyfolio/originals/a`, { method: 'OPTIONS', headers })
  return response.headers.get('access-control-allow-origin')
}

async function sendStraight(client: SignedInClient): Promise<Record<string, boolean>> {
  const { value } = await generatePhotos(PHOTO).next()
  const bytes = Buffer.from(value)
  const file = declareFile('straight.jpg', bytes, UPLOAD_PARTS.minBytes)
  const { results } = (await client.call('POST', '/api/upload-sessions', { files: [file] })) as {
    results: { session: Session }[]
  }
  const session = results[0]?.session
  const part = session?.uploads?.[0]
  if (!session || !part) return { 'the part was signed': false }
  const send = async (body: Buffer) => {
    const signal = AbortSignal.timeout(PART_TIMEOUT_MS)
    const request = { method: 'PUT', headers: part.headers, body: new Uint8Array(body), signal }
    return (await fetch(part.url, request)).status
  }
  const wrong = await send(Buffer.alloc(bytes.length, 1))
  const right = await send(bytes)
  const photo = (await client.call('POST', `/api/upload-sessions/${session.id}/complete`, {})) as {
    id: number
    url: string
  }
  const late = await send(bytes)
  const listed = await fetch(`${target.storeUrl}/skyfolio?list-type=2`)
  const original = await fetch(target.url + photo.url, { headers: { cookie: client.cookie } })
  await waitUntil('the photo is ready', PROCESSED_TIMEOUT_SECONDS, async () => {
    const photos = (await client.call('GET', `/api/photos?ids=${photo.id}`)) as { status: string }[]
    return photos[0]?.status === 'ready'
  })
  return {
    'the part was signed for the published address': part.url.startsWith(target.storeUrl),
    'other bytes were rejected': wrong >= 400,
    'the part went straight to the store': right === 200,
    'after the completion no part was taken': late >= 400,
    'nobody lists the store': listed.status === 403,
    'the photo has its bytes': sha256Of(Buffer.from(await original.arrayBuffer())) === file.sha256,
  }
}
