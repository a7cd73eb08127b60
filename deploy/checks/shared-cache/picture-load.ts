import { createHash } from 'node:crypto'
import type { SignedInClient } from '../../local/signed-in-client.ts'
import type { SeededFolder } from '../load/seed-folders.ts'

const ROUNDS = 20
/** Of the requests: browsers revalidate what they have. */
const REVALIDATIONS = 5
/** A browser's; none of them may matter or come back. */
const COOKIE = 'sid=somebody; voter=somebody; links=1.1~forged'

interface Picture {
  path: string
  hash: string
  etag: string
}

/** A public folder whose photos have all been processed. */
export interface SharedFolder extends SeededFolder {
  owner: SignedInClient
}

export interface LoadResult {
  facts: string[]
  errors: string[]
}

/** Requests pictures through a shared cache as many visitors do, and compares each with that of the gateway. */
export async function loadPictures(cacheUrl: string, gatewayUrl: string, paths: string[]): Promise<LoadResult> {
  const pictures = await Promise.all(paths.map((path) => readPicture(gatewayUrl, path)))
  const errors = new Set<string>()
  let [requests, hits] = [0, 0]
  for (let round = 0; round < ROUNDS; round += 1) {
    const answers = await Promise.all(
      pictures.map((picture, index) => requestOne(cacheUrl, picture, (round + index) % REVALIDATIONS === 0)),
    )
    requests += answers.length
    hits += answers.filter(({ cached }) => cached).length
    for (const { wrong } of answers) if (wrong) errors.add(wrong)
  }
  if (hits < requests / 2) errors.add(`only ${hits} of ${requests} pictures came from the cache`)
  const share = Math.round((100 * hits) / requests)
  return {
    errors: [...errors],
    facts: [`${requests} requests for ${paths.length} pictures: ${share} % from the cache`],
  }
}

async function readPicture(origin: string, path: string): Promise<Picture> {
  const response = await fetch(origin + path)
  if (!response.ok) throw new Error(`${path} returned ${response.status}`)
  return { path, hash: await hashOf(response), etag: response.headers.get('etag') ?? '' }
}

async function requestOne(cacheUrl: string, { path, hash, etag }: Picture, revalidates: boolean) {
  const response = await fetch(cacheUrl + path, {
    headers: { cookie: COOKIE, ...(revalidates && { 'if-none-match': etag }) },
  })
  const found = await hashOf(response)
  const isRight = revalidates ? response.status === 304 : response.status === 200 && found === hash
  const cached = response.headers.get('x-cache') === 'HIT'
  if (!isRight) return { cached, wrong: `${path} returned ${response.status}, or other bytes` }
  return { cached, wrong: response.headers.has('set-cookie') ? `${path}: a cookie was set` : '' }
}

async function hashOf(response: Response): Promise<string> {
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
}
