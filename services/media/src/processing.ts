import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { isDatabaseUnavailable, isUnavailable, type Logger, metrics, type ObjectStore } from '@skyfolio/kit'
import type { Database } from './database.ts'
import { Prisma } from './generated/client.ts'
import { type Lease, renewLease, returnLease, settleLease, takeLease } from './leases.ts'
import { factsOf, type PhotoFacts } from './metadata/facts.ts'
import type { MetadataReader } from './metadata/reader.ts'
import { contentType, newName, originalKey, renditionKey } from './objects.ts'
import type { openPlaces } from './places/places.ts'
import { DamagedPhoto, makeRenditions } from './renditions.ts'

export interface ProcessingDeps {
  db: Database
  store: ObjectStore
  metadata: MetadataReader
  places: ReturnType<typeof openPlaces>
  logger: Logger
  maxPixels: number
  leaseSeconds: number
  /** How often a photo is begun before it counts as failed. */
  maxAttempts: number
  /** Called after a result is committed. */
  settled(): void
}

const RETRY_SECONDS = 10
const DAMAGED = 'The photo is damaged and cannot be shown. The original file is kept.'
const NOT_PROCESSED = 'The photo could not be processed. The original file is kept.'
const MISSING = 'The original file is missing.'

const durations = metrics.histogram(
  'media_processing_seconds',
  'Time to process a photo',
  ['outcome'],
  [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
)

function placeOf({ places }: ProcessingDeps, { latitude, longitude }: PhotoFacts) {
  const place = latitude !== null && longitude !== null ? places.lookup(Number(latitude), Number(longitude)) : null
  return { city: place?.city ?? null, county: place?.county ?? null, state: place?.state ?? null }
}

async function putRendition(store: ObjectStore, bytes: Buffer): Promise<string> {
  const name = newName('webp')
  await store.put(renditionKey(name), Readable.from([bytes]), { contentType: contentType(name) })
  return name
}

type Result = Prisma.PhotoUpdateManyMutationInput & { status: 'ready' | 'failed' }

/** What the file says. When it cannot be read in time, the fault may be a busy machine's; in the end it goes without. */
async function readFacts(deps: ProcessingDeps, original: Buffer, lastAttempt: boolean): Promise<PhotoFacts> {
  try {
    return await deps.metadata.read(original)
  } catch (error) {
    if (!lastAttempt) throw error
    deps.logger.warn({ err: error }, 'a photo stays without metadata')
    return factsOf({})
  }
}

/** The columns that processing finds out. Only damage to the picture itself makes a photo fail. */
async function examine(deps: ProcessingDeps, original: Buffer, lastAttempt: boolean): Promise<Result> {
  const facts = await readFacts(deps, original, lastAttempt)
  const said = { ...facts, ...placeOf(deps, facts), metadata: facts.metadata ?? Prisma.DbNull }
  try {
    const { thumbnail, preview, ...picture } = await makeRenditions(original, deps.maxPixels)
    return {
      ...said,
      ...picture,
      thumbnail: await putRendition(deps.store, thumbnail),
      preview: await putRendition(deps.store, preview),
      status: 'ready',
      statusMessage: null,
    }
  } catch (error) {
    if (!(error instanceof DamagedPhoto)) throw error
    deps.logger.info({ err: error }, 'a photo is damaged')
    return { ...said, status: 'failed', statusMessage: DAMAGED }
  }
}

async function resultFor(deps: ProcessingDeps, { photo }: Lease): Promise<Result> {
  // Earlier attempts ended without a word: the photo may be what kills its worker.
  if (photo.attempts > deps.maxAttempts) return { status: 'failed', statusMessage: NOT_PROCESSED }
  const object = await deps.store.get(originalKey(photo.filename))
  if (!object) return { status: 'failed', statusMessage: MISSING }
  return examine(deps, await buffer(object.body), photo.attempts === deps.maxAttempts)
}

/** Renditions under names that no photo took: the sweeper would find them too, later. */
async function discardRenditions(deps: ProcessingDeps, { thumbnail, preview }: Result): Promise<void> {
  for (const name of [thumbnail, preview]) if (typeof name === 'string') await deps.store.remove(renditionKey(name))
}

async function fail(deps: ProcessingDeps, lease: Lease, error: unknown): Promise<void> {
  const outage = isUnavailable(error) || isDatabaseUnavailable(error)
  const last = !outage && lease.photo.attempts >= deps.maxAttempts
  deps.logger.warn({ err: error, photoId: lease.photo.id, attempts: lease.photo.attempts }, 'a photo was not processed')
  if (!last) return returnLease(deps.db, lease, RETRY_SECONDS, outage)
  await settleLease(deps.db, lease, { status: 'failed', statusMessage: NOT_PROCESSED })
  deps.settled()
}

/**
 * Processes a photo that waits: metadata, place, renditions. It may be called at any time and any number of times;
 * the result counts only while the lease holds. What went wrong outside the photo is tried again later.
 */
export async function processPhoto(deps: ProcessingDeps, photoId: number): Promise<void> {
  const lease = await takeLease(deps.db, photoId, deps.leaseSeconds)
  if (!lease) return
  const renewing = setInterval(
    () => renewLease(deps.db, lease, deps.leaseSeconds).catch(() => {}),
    (deps.leaseSeconds * 1000) / 3,
  )
  const measure = durations.startTimer()
  try {
    const result = await resultFor(deps, lease)
    const counted = await settleLease(deps.db, lease, result)
    if (!counted) await discardRenditions(deps, result)
    else deps.settled()
    measure({ outcome: counted ? result.status : 'lost' })
  } catch (error) {
    measure({ outcome: 'error' })
    await fail(deps, lease, error)
  } finally {
    clearInterval(renewing)
  }
}
