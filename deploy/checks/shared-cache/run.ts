// `npm run check -- load:visits --caches`: nginx and Varnish, configured as in deploy/caching, in front of a system of its
// own. Visitors load the pictures of a public folder through each, while the owner makes photos private, deletes one, renews the
// link and withdraws it. Exits with 1 when a picture is served two seconds after such a change, when a private response is stored,
// or when anything is served without the gateway.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cleanups, runCheck, startSystem } from '../harness.ts'
import { reportChecks } from '../load/run-k6.ts'
import { readShare, renditionsOf, type SeededFolder, seedFolders } from '../load/seed-folders.ts'
import { SHARED_CACHES, type SharedCache } from './caches.ts'
import { checkClientAddresses, REQUESTS_PER_MINUTE } from './client-addresses.ts'
import { type LoadResult, loadPictures, type SharedFolder } from './picture-load.ts'
import { checkPrivateResponses } from './private-responses.ts'
import { checkWithdrawals } from './withdrawals.ts'

const PHOTOS = 30
/** A stored picture lives no longer. */
const STORED_MS = 1_000
const SETTINGS = { TRUSTED_PROXIES: '127.0.0.1', REQUESTS_PER_MINUTE: `${REQUESTS_PER_MINUTE}` }

export function runSharedCaches(): Promise<void> {
  return runCheck(600_000, async (folder) => reportChecks('load-shared-cache', await checkCaches(folder)))
}

async function checkCaches(dataDir: string): Promise<Record<string, boolean>> {
  const system = await startSystem(dataDir, SETTINGS)
  const checks: Record<string, boolean> = {}
  const used: [SharedCache, SharedFolder][] = []

  async function run(what: string, { name }: SharedCache, step: Promise<LoadResult>): Promise<void> {
    const { errors, facts } = await step.catch((error: Error) => ({ errors: [`${error.stack}`], facts: [] }))
    for (const line of [...facts, ...errors.slice(0, 20)]) console.log(`  ${line}`)
    checks[`${name}: ${what}`] = errors.length === 0
  }

  for (const [index, [name, start]] of Object.entries(SHARED_CACHES).entries()) {
    const folder = join(dataDir, `cache-${index}`)
    await mkdir(folder)
    const cache = await start(system.url, folder)
    cleanups.push(() => cache.stop())
    console.log(`\n${name}`)
    const account = { username: `owner-${index}`, password: 'a long enough password' }
    const { owner, folders } = await seedFolders(system.url, account, { folders: 1, photos: PHOTOS, areRendered: true })
    const shared = { ...(folders[0] as SeededFolder), owner }
    const paths = (await readShare(system.url, shared.code)).flatMap(renditionsOf)
    used.push([cache, shared])
    const { url } = cache
    await run('pictures come from it, the same as from the gateway', cache, loadPictures(url, system.url, paths))
    await run('private responses are not stored', cache, checkPrivateResponses(cache, shared))
    await run('nothing is served two seconds after a change', cache, checkWithdrawals(cache, system.url, shared))
    await run('clients keep their own addresses', cache, checkClientAddresses(cache))
  }
  const stored = await Promise.all(used.map(([cache, folder]) => storeAgain(cache, folder)))
  await system.stop()
  await delay(STORED_MS)
  for (const [index, [cache]] of used.entries()) {
    await run('nothing is served without the gateway', cache, checkOutage(stored[index] ?? ''))
  }
  return checks
}

/** Makes the folder public again, and its first picture be stored. Returns its address. */
async function storeAgain({ url }: SharedCache, { owner, id, code }: SharedFolder): Promise<string> {
  await owner.call('PUT', `/api/folders/${id}`, { isPublic: true })
  const [photo] = await readShare(url, code)
  const picture = `${url}${photo?.thumbnailUrl}`
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await fetch(picture)).headers.get('x-cache') === 'HIT') return picture
  }
  throw new Error(`${picture} was not stored`)
}

async function checkOutage(picture: string): Promise<LoadResult> {
  const { status } = await fetch(picture)
  return { errors: status < 500 ? [`without the gateway: ${status}`] : [], facts: [`without the gateway: ${status}`] }
}
