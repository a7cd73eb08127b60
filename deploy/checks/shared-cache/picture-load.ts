import { createHash } from 'node:crypto'
import { constantArrivals } from '../load/arrivals.ts'

const PER_SECOND = 300
const SECONDS = 5
/** Of the requests: browsers revalidate what they have. */
const REVALIDATIONS = 5
/** A browser's; none of them may matter or come back. */
const COOKIE = 'sid=somebody; voter=somebody; links=1.1~forged'

interface Picture {
  path: string
  hash: string
  etag: string
}

export interface LoadResult {
  facts: string[]
  errors: string[]
}

/** Requests pictures through a shared cache as many visitors do, and compares each with that of the gateway. */
export async function loadPictures(cacheUrl: string, gatewayUrl: string, paths: string[]): Promise<LoadResult> {
  const pictures = await Promise.all(paths.map((path) => readPicture(gatewayUrl, path)))
  const arrivals = await constantArrivals({ perSecond: PER_SECOND, seconds: SECONDS }, (number) => {
    const picture = pictures[number % pictures.length] as Picture
    return requestOne(cacheUrl, picture, number % REVALIDATIONS === 0).catch((error: Error) => ({
      wrong: `${picture.path}: ${error.message}`,
      cached: false,
    }))
  })
  const errors = arrivals.flatMap(({ outcome }) => outcome.wrong ?? [])
  const hits = arrivals.filter(({ outcome }) => outcome.cached).length
  const times = arrivals.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const percentile = (part: number) => `${Math.round(times[Math.floor(part * (times.length - 1))] ?? 0)} ms`
  const share = hits / arrivals.length
  if (share < 0.5) errors.push(`only ${hits} of ${arrivals.length} pictures came from the cache`)
  return {
    errors: [...new Set(errors)],
    facts: [
      `${arrivals.length} requests for ${paths.length} pictures in ${SECONDS} s: ${Math.round(share * 100)} % from the cache`,
      `response times: median ${percentile(0.5)}, p99 ${percentile(0.99)}, longest ${percentile(1)}`,
    ],
  }
}

async function readPicture(origin: string, path: string): Promise<Picture> {
  const response = await fetch(origin + path)
  if (!response.ok) throw new Error(`${path} returned ${response.status}`)
  return { path, hash: await hashOf(response), etag: response.headers.get('etag') ?? '' }
}

async function requestOne(cacheUrl: string, { path, hash, etag }: Picture, revalidates: boolean) {
  const headers = { cookie: COOKIE, ...(revalidates && { 'if-none-match': etag }) }
  const response = await fetch(cacheUrl + path, { headers })
  const found = await hashOf(response)
  const right = revalidates ? response.status === 304 : response.status === 200 && found === hash
  const { headers: received } = response
  const wrong = !right
    ? `${path}: ${response.status}${response.status === 200 ? ' with other bytes' : ''}`
    : received.has('set-cookie')
      ? `${path}: a cookie was set`
      : undefined
  return { wrong, cached: received.get('x-cache') === 'HIT' }
}

async function hashOf(response: Response): Promise<string> {
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
}
