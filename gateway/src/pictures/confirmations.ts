import { setTimeout as delay } from 'node:timers/promises'
import {
  type AppError,
  type BatchClient,
  createBatchClient,
  type Identity,
  type Logger,
  notFound,
  unavailable,
  visitorIdentity,
  within,
} from '@skyfolio/kit'
import { LRUCache } from 'lru-cache'
import { pictureMetrics } from './picture-metrics.ts'

type PictureHeaders = Record<'etag' | 'cache-control' | 'content-type' | 'content-disposition', string>

/** Media's permission to send a picture to a viewer, which holds for a moment. */
export interface Confirmation {
  /** The stored name of the rendition; null: media streams the response. */
  storedName: string | null
  /** In bytes, if known. */
  size: number | null
  headers: PictureHeaders & { 'accept-ranges': 'bytes' }
  /** On the clock of `performance.now()`. */
  refreshAfter: number
  validUntil: number
}

/** A picture as a viewer requests it. */
export interface PictureRequest {
  /** Distinguishes what has different permissions: the file name, and the user where the user matters. */
  key: string
  filename: string
  /** Of the request that is the first to need the confirmation. */
  id: string
  /** Null: a visitor, or a name whose permission does not depend on the viewer. */
  viewer: Identity | null
}

/** How media is reached. */
export interface MediaDeps {
  logger: Logger
  mediaUrl: string
  identityKeys: string[]
}

/** What media returns for a picture. The times are durations, since its clock may differ. */
interface PictureState {
  object: string | null
  size: number | null
  headers: PictureHeaders
  /** Age of the oldest fact behind it when it was returned. */
  ageMs: number
  /** Between the receipt of the request and the response. */
  tookMs: number
}

/** With the time until a response has been written this stays below a second, in which a withdrawal must take effect. */
const VALID_MS = 800
const REFRESH_AFTER_MS = 400
const MAX_ATTEMPTS = 3
const DEADLINE_MS = 2_000
const RETRY_DELAY_MS = 100
/** A response that takes longer is outdated on arrival; another replica may be faster. */
const SILENCE_MS = 1_000
const ROUTE = '/picture-states/:filename'
const MAX_KNOWN = 10_000
const SWEEP_MS = 60_000
const VISITOR = visitorIdentity('')

export function createConfirmations(deps: MediaDeps) {
  const known = new LRUCache<string, Confirmation>({ max: MAX_KNOWN })
  const pending = new Map<string, Promise<Confirmation | null>>()
  // Visitors need the state of the folder, users mostly do not: an outage of folders must not delay owners' pictures.
  const forVisitors = openClient(deps, 'visitors')
  const forUsers = openClient(deps, 'users')
  const sweep = setInterval(() => {
    const now = performance.now()
    for (const [key, { validUntil }] of known.entries()) if (validUntil < now) known.delete(key)
  }, SWEEP_MS)
  sweep.unref()

  /**
   * Requests a confirmation, one for all that wait for the same key. Null: media could not be requested in this way, so it
   * has to decide while it streams.
   * @throws AppError 404, 503
   */
  function request(picture: PictureRequest): Promise<Confirmation | null> {
    const running = pending.get(picture.key)
    if (running) return running
    const key = copyOf(picture.key)
    const client = picture.viewer ? forUsers : forVisitors
    const confirming = within(DEADLINE_MS, confirm(client, picture)).then(
      (confirmation) => {
        pending.delete(key)
        if (confirmation) known.set(key, confirmation)
        return confirmation
      },
      (error) => {
        pending.delete(key)
        if ((error as AppError).status === 404) known.delete(key)
        throw error
      },
    )
    pending.set(key, confirming)
    return confirming
  }

  /** Until the confirmation expires, a failure concerns nobody. */
  function refresh(picture: PictureRequest, confirmation: Confirmation): void {
    const tryLater = () => {
      confirmation.refreshAfter = performance.now() + RETRY_DELAY_MS
    }
    request(picture).then((refreshed) => refreshed ?? tryLater(), tryLater)
  }

  return {
    /** A confirmation that is still valid. One that is no longer new is refreshed in the background. */
    find(picture: PictureRequest, now: number): Confirmation | undefined {
      const confirmation = known.get(picture.key)
      if (!confirmation || confirmation.validUntil < now) return undefined
      if (confirmation.refreshAfter < now && !pending.has(picture.key)) refresh(picture, confirmation)
      return confirmation
    },
    request,
    /** Drops a confirmation that proved wrong. */
    forget: (key: string) => void known.delete(key),
    close() {
      clearInterval(sweep)
      forVisitors.close()
      forUsers.close()
    },
  }
}

function openClient({ logger, mediaUrl, identityKeys }: MediaDeps, viewers: string): BatchClient {
  return createBatchClient({
    logger,
    upstream: mediaUrl,
    method: 'GET',
    route: ROUTE,
    name: `GET ${ROUTE} (${viewers})`,
    identityKeys,
    silenceMs: SILENCE_MS,
  })
}

/** Requests until a confirmation arrives that is not outdated. */
async function confirm(client: BatchClient, picture: PictureRequest): Promise<Confirmation | null> {
  const begun = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const result = await requestOnce(client, picture)
    if (typeof result === 'object') return result
    if (result === 'locked' || (result === 'no_batch' && attempt > 1)) return null
    if (attempt === MAX_ATTEMPTS || performance.now() - begun >= DEADLINE_MS) throw unavailable(undefined, 1)
    if (result === 'unavailable') await delay(RETRY_DELAY_MS)
  }
}

/**
 * Returns the confirmation, or why there is none. `locked`: it depends on the viewer's cookies. `no_batch`: media has no such route or closed the connection. That it is
 * silent is not the same: streaming the requests of all who wait would only add to what it has to do.
 * @throws AppError 404
 */
async function requestOnce(client: BatchClient, { id, filename, viewer }: PictureRequest) {
  const identity = viewer ?? VISITOR
  const sent = performance.now()
  const response = await client.send({ id, identity, params: { filename }, query: {}, body: null, headers: {} })
  const now = performance.now()
  if (!response) {
    pictureMetrics.confirmations.failed.inc()
    return now - sent < SILENCE_MS ? 'no_batch' : 'silent'
  }
  const [status, body] = response
  if (status === 404) {
    pictureMetrics.confirmations.not_found.inc()
    throw notFound('Photo not found')
  }
  if (status === 403) return 'locked'
  if (status !== 200) {
    pictureMetrics.confirmations.failed.inc()
    return 'unavailable'
  }
  const confirmation = toConfirmation(JSON.parse(String(body)) as PictureState, sent, now)
  const outcome = confirmation ? 'confirmed' : 'outdated'
  pictureMetrics.confirmations[outcome].inc()
  return confirmation ?? outcome
}

/** Returns null for a response that was outdated on arrival. @param sent when the request was queued, before it was sent */
function toConfirmation(state: PictureState, sent: number, now: number): Confirmation | null {
  // At most the rest of the time passed after media determined the age.
  const age = state.ageMs + Math.max(0, now - sent - state.tookMs)
  if (!(age <= VALID_MS)) return null
  return {
    storedName: state.object,
    size: state.size,
    headers: { ...state.headers, 'accept-ranges': 'bytes' },
    refreshAfter: now - age + REFRESH_AFTER_MS,
    validUntil: now - age + VALID_MS,
  }
}

/** A slice of the request's URL would keep all of it in memory. */
function copyOf(key: string): string {
  return Buffer.from(key, 'latin1').toString('latin1')
}
