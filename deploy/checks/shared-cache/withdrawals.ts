import { readShare, renditionsOf } from '../load/seed-folders.ts'
import type { SharedCache } from './caches.ts'
import type { LoadResult, SharedFolder } from './picture-load.ts'
import { watchPictures } from './watch-pictures.ts'

/** One second in the shared cache, and one in ours. */
const WITHIN_MS = 2_000

interface Change {
  what: string
  /** Numbers of the photos whose pictures it hides; all if absent. */
  hides?: number[]
  make(folder: SharedFolder, photoIds: number[]): Promise<unknown>
}

/** In this order, on one folder. */
const CHANGES: Change[] = [
  {
    what: 'a photo was made private',
    hides: [0],
    make: ({ owner }, [first]) => owner.call('PATCH', `/api/photos/${first}/privacy`, { isPublic: false }),
  },
  {
    what: 'a photo was deleted',
    hides: [1],
    make: ({ owner }, [, second]) => owner.call('DELETE', `/api/photos/${second}`),
  },
  {
    what: 'the link was renewed',
    make: async (folder) => {
      const { shareCode } = (await folder.owner.call('POST', `/api/folders/${folder.id}/share-code`)) as {
        shareCode: string
      }
      folder.code = shareCode
    },
  },
  {
    what: 'the link was withdrawn',
    make: ({ owner, id }) => owner.call('PUT', `/api/folders/${id}`, { isPublic: false }),
  },
]

/** Changes who may see pictures while they are requested through a cache: none is served two seconds after the answer. */
export async function checkWithdrawals(
  cache: SharedCache,
  gatewayUrl: string,
  folder: SharedFolder,
): Promise<LoadResult> {
  const result: LoadResult = { errors: [], facts: [] }
  const first = await readShare(gatewayUrl, folder.code)
  const ids = first.map(({ id }) => id)
  for (const { what, hides, make } of CHANGES) {
    const photos = await readShare(gatewayUrl, folder.code)
    const hidden = hides ? photos.filter(({ id }) => hides.some((number) => ids[number] === id)) : photos.slice(0, 4)
    const rest = photos.filter(({ id }) => !hidden.some((photo) => photo.id === id)).slice(0, 4)
    const ofHidden = watchPictures(
      cache.url,
      hidden.flatMap(renditionsOf).map((path) => ({ path })),
    )
    const ofRest = watchPictures(
      cache.url,
      rest.flatMap(renditionsOf).map((path) => ({ path })),
    )
    await ofHidden.untilServed()
    await make(folder, ids)
    const changed = performance.now()
    const statuses = await ofHidden.statusesFrom(changed + WITHIN_MS)
    if (statuses.join() !== '404') result.errors.push(`${what}: ${WITHIN_MS} ms later its pictures were ${statuses}`)
    if (hides) await ofRest.untilServed()
    const last = (ofHidden.lastServed() ?? changed) - changed
    result.facts.push(`${what}: the last picture that was served was requested ${Math.round(last)} ms after the answer`)
    await Promise.all([ofHidden.stop(), ofRest.stop()])
  }
  return result
}
