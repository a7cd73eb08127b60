import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { placePrintOrder, waitUntilPrinting } from './print-order.ts'

// Uses a running system as an owner and a visitor do, and exits with 1 when a step fails: registers, creates a folder, uploads a
// photo, waits until it is shown with its place, votes on it, reads the result, and deletes folder and photo. The account
// remains. Needs nothing but Node, so that it runs in an image: node smoke.ts [URL]
// BASE_URL: address of the gateway, unless it is an argument; ORIGIN: its PUBLIC_ORIGIN, where that is another address.
// PRINT_ORDER=yes: it also orders a print of the photo, from the partner's sandbox only.
const baseUrl = (process.argv[2] ?? process.env.BASE_URL ?? 'http://127.0.0.1:8080').replace(/\/$/, '')
const origin = process.env.ORIGIN ?? baseUrl
const RESPONSE_TIMEOUT_MS = 60_000
const PROCESSING_TIMEOUT_MS = 120_000
/** Duluth, Minnesota. */
const PLACE = { latitude: 46.7867, longitude: -92.1005 }
/** A grey JPEG of 480 x 360 pixels that was taken there, by its EXIF. */
const PHOTO = Buffer.from(
  `/9j/4QEuRXhpZgAASUkqAAgAAAAHABIBAwABAAAAAQAAABoBBQABAAAAYgAAABsBBQABAAAAagAAACgBAwABAAAAAgAAABMCAwABAAAAAQAAAGmH
BAABAAAAcgAAACWIBAABAAAAwAAAAAAAAAA4YwAA6AMAADhjAADoAwAABgAAkAcABAAAADAyMTABkQcABAAAAAECAwAAoAcABAAAADAxMDABoAMA
AQAAAP//AAACoAQAAQAAAOABAAADoAQAAQAAAGgBAAAAAAAABAABAAIAAgAAAE4AAAACAAUAAwAAAA4BAAADAAIAAgAAAFcAAAAEAAUAAwAAAPYA
AAAAAAAAXAAAAAEAAAAGAAAAAQAAALQAAABkAAAALgAAAAEAAAAvAAAAAQAAALwEAABkAAAA/9sAQwD/////////////////////////////////
/////////////////////////////////////////////////////8IACwgBaAHgAQERAP/EABUAAQEAAAAAAAAAAAAAAAAAAAAB/9oACAEBAAAA
AKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAD/8QAFBABAAAAAAAAAAAAAAAAAAAAsP/aAAgBAQABPwAoz//Z`,
  'base64',
)

interface Shared {
  photos: { id: number; city: string | null; latitude: number | null; thumbnailUrl: string | null }[]
}

interface Standings {
  tallies: { photoId: number; first: number }[]
}

interface Uploaded {
  files: { photoId: number | null; issue: string | null }[]
}

interface Configuration {
  printing: { available: boolean; sandbox: boolean }
}

/** A browser's cookies by name. */
type Browser = Map<string, string>

const owner: Browser = new Map()
const visitor: Browser = new Map()

async function send(browser: Browser, method: string, path: string, body?: object): Promise<Response> {
  const form = body instanceof FormData
  const headers: Record<string, string> = { cookie: [...browser.values()].join('; '), origin }
  if (body && !form) headers['content-type'] = 'application/json'
  const response = await fetch(baseUrl + path, {
    method,
    headers,
    signal: AbortSignal.timeout(30_000),
    ...(body && { body: form ? body : JSON.stringify(body) }),
  })
  for (const set of response.headers.getSetCookie()) browser.set(set.split('=')[0] ?? '', set.split(';')[0] ?? '')
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
  return response
}

async function requestJson<T>(browser: Browser, method: string, path: string, body?: object): Promise<T> {
  return (await send(browser, method, path, body)).json() as Promise<T>
}

/** Repeats `attempt` until it returns something. @throws Error with the last failure after `limitMs` */
async function waitFor<T>(what: string, limitMs: number, attempt: () => Promise<T | undefined>): Promise<T> {
  let failure: unknown
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await delay(500)) {
    try {
      const found = await attempt()
      if (found !== undefined) return found
    } catch (error) {
      failure = error
    }
  }
  throw new Error(`${what}: not within ${limitMs / 1000} s`, { cause: failure })
}

async function register(): Promise<void> {
  const username = `smoke-${Date.now().toString(36)}`
  const password = randomBytes(18).toString('base64url')
  await send(owner, 'POST', '/api/register', { username, password, confirmPassword: password })
  console.log(`registered ${username}`)
}

async function upload(folderId: number): Promise<number> {
  const form = new FormData()
  form.set('folderId', String(folderId))
  form.append('photos', new Blob([PHOTO], { type: 'image/jpeg' }), 'smoke.jpg')
  const { files } = await requestJson<Uploaded>(owner, 'POST', '/api/upload-photos', form)
  const photo = files[0]?.photoId
  if (!photo) throw new Error(`the photo was rejected: ${files[0]?.issue}`)
  console.log(`uploaded photo ${photo}, ${PHOTO.length} bytes`)
  return photo
}

/** Waits until a visitor sees the rendered photo with its place. */
async function checkShown(shareCode: string, photo: number): Promise<void> {
  const seen = await waitFor('the photo on the share page', PROCESSING_TIMEOUT_MS, async () => {
    const { photos } = await requestJson<Shared>(visitor, 'GET', `/api/share/${shareCode}`)
    return photos.find(({ id, thumbnailUrl }) => id === photo && thumbnailUrl)
  })
  if (Math.abs((seen.latitude ?? 0) - PLACE.latitude) > 0.001) throw new Error(`the latitude is ${seen.latitude}`)
  const thumbnail = await send(visitor, 'GET', seen.thumbnailUrl ?? '')
  const { byteLength } = await thumbnail.arrayBuffer()
  if (!thumbnail.headers.get('content-type')?.startsWith('image/')) throw new Error('the thumbnail is not an image')
  console.log(`shown in ${seen.city}, thumbnail of ${byteLength} bytes`)
}

/** Votes as a visitor, and waits until the owner sees the vote. */
async function vote(folderId: number, photo: number): Promise<void> {
  const ballot = { fingerprint: `smoke-${randomBytes(8).toString('hex')}`, rank: 'first', folderId }
  const path = `/api/photos/${photo}/rank`
  const { rankings } = await requestJson<{ rankings: { first: number } }>(visitor, 'POST', path, ballot)
  if (rankings.first !== photo) throw new Error(`the response to the vote was ${JSON.stringify(rankings)}`)
  await waitFor("the vote in the owner's standings", RESPONSE_TIMEOUT_MS, async () => {
    const { tallies } = await requestJson<Standings>(owner, 'GET', `/api/folders/${folderId}/rankings`)
    return tallies.find(({ photoId, first }) => photoId === photo && first === 1)
  })
  console.log('voted, and counted')
}

/** Orders a print, and waits until the partner's sandbox has fetched its image. */
async function orderPrint(photo: number): Promise<void> {
  const { printing } = await requestJson<Configuration>(owner, 'GET', '/api/config')
  if (!printing.available) throw new Error('printing is not available')
  if (!printing.sandbox) throw new Error('print orders go to production: this test orders from the sandbox only')
  const request = (method: string, path: string, body?: object) => requestJson(owner, method, path, body)
  const { orderId, vendorOrderId } = await placePrintOrder(request, { photoId: photo, ...PLACE })
  console.log(`ordered a print: ${vendorOrderId}`)
  console.log(`the order is ${await waitUntilPrinting(request, orderId)}`)
}

async function runSmokeTest(): Promise<void> {
  await waitFor('the gateway', RESPONSE_TIMEOUT_MS, () => requestJson(visitor, 'GET', '/api/config'))
  await register()
  const folder = await requestJson<{ id: number; shareCode: string }>(owner, 'POST', '/api/folders', {
    name: 'Smoke test',
    isPublic: true,
  })
  const photo = await upload(folder.id)
  await checkShown(folder.shareCode, photo)
  await vote(folder.id, photo)
  if (process.env.PRINT_ORDER === 'yes') await orderPrint(photo)
  await send(owner, 'DELETE', `/api/photos/${photo}`)
  await send(owner, 'DELETE', `/api/folders/${folder.id}`)
  console.log('deleted folder and photo: smoke test passed')
}

await runSmokeTest().catch((error: Error) => {
  console.error(`smoke test of ${baseUrl} failed: ${error.message}`, error.cause ?? '')
  process.exitCode = 1
})
