import { Readable } from 'node:stream'
import { type App, type AppError, matchesEntityTag, unavailable } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Confirmation, createConfirmations, type MediaDeps, type PictureRequest } from './confirmations.ts'
import { createLoader } from './load-picture.ts'
import { createPictureCache, type Picture } from './picture-cache.ts'
import { measureMemory, pictureMetrics } from './picture-metrics.ts'

/** Sends the request to media, which decides and responds. @param stallMs how long media may be silent */
type Stream = (stallMs?: number) => FastifyReply | Promise<FastifyReply>

export type RespondWithPicture = (
  request: FastifyRequest,
  reply: FastifyReply,
  stream: Stream,
) => FastifyReply | Promise<FastifyReply | undefined> | undefined

export interface PicturesDeps extends MediaDeps {
  /** Bytes of pictures in memory; 0: all are streamed. */
  pictureCacheBytes: number
}

/** A response that may be sent now. Without a picture: 304. */
interface Prepared {
  confirmation: Confirmation
  picture: Picture | null
}

/** Stored names, whose permission depends on the viewer, or public names, also those of cards. Media verifies them. */
const RENDITION_NAME = /^(?:[0-9a-f]{32}\.webp|(s-)(?:[\w-]{1,64}\.webp|[\w-]{1,40}-c-[\w-]{22}\.jpg))$/
/** For confirmations and bytes together. */
const DEADLINE_MS = 8_000
/** For a stream that follows a failed confirmation. */
const STREAM_STALL_MS = 5_000
const MAX_LARGE = 1_000
const OUTCOMES: Record<number, 'not_found' | 'limited'> = { 404: 'not_found', 429: 'limited' }
const PART_BYTES = 256 * 1024
const { requests: outcomes } = pictureMetrics

/**
 * Responds with renditions from memory. Each response needs media's confirmation that this viewer may have this picture now;
 * the bytes are loaded once. Everything but a whole rendition is streamed by media.
 */
export function createPictures(app: App, deps: PicturesDeps): RespondWithPicture {
  if (deps.pictureCacheBytes === 0) return (_request, _reply, stream) => streamed(stream)
  const cache = createPictureCache(deps.pictureCacheBytes)
  const confirmations = createConfirmations(deps)
  const loader = createLoader({ ...deps, maxBytes: cache.maxPictureBytes, keep: cache.add })
  /** Stored names of pictures that proved too large. */
  const large = new LRUCache<string, true>({ max: MAX_LARGE })
  const stopMeasuring = measureMemory(cache)
  app.addHook('onClose', async () => {
    for (const part of [confirmations, loader, cache]) part.close()
    stopMeasuring()
  })

  function send(reply: FastifyReply, { confirmation, picture }: Prepared): void {
    if (!picture) {
      const { etag, 'cache-control': cacheControl } = confirmation.headers
      reply.code(304).headers({ etag, 'cache-control': cacheControl }).send()
      return
    }
    reply.headers(confirmation.headers).send(payloadOf(picture.bytes, reply))
    cache.hold(picture, reply.raw)
  }

  /** Sends what is in memory, without a promise. Returns false when something is missing. */
  function respondFromMemory(requested: PictureRequest, request: FastifyRequest, reply: FastifyReply): boolean {
    const confirmation = confirmations.find(requested, performance.now())
    if (!confirmation) return false
    if (isUnchanged(request, confirmation)) {
      outcomes.not_modified.inc()
      send(reply, { confirmation, picture: null })
      return true
    }
    const picture = confirmation.storedName === null ? undefined : cache.get(confirmation.storedName)
    if (!picture) return false
    outcomes.memory.inc()
    send(reply, { confirmation, picture })
    return true
  }

  /** Confirms and loads what is not in memory, until both hold at once; or says why media has to stream the response. */
  async function prepare(
    requested: PictureRequest,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Prepared | 'unconfirmed' | 'not_kept'> {
    const giveUpAt = performance.now() + DEADLINE_MS
    let missing: string | undefined
    while (!reply.raw.destroyed && performance.now() < giveUpAt) {
      const found = confirmations.find(requested, performance.now())
      const confirmation = found ?? (await confirmations.request(requested))
      if (!confirmation) return 'unconfirmed'
      if (isUnchanged(request, confirmation)) return { confirmation, picture: null }
      const { storedName } = confirmation
      // A rendering may have replaced the file after the confirmation, but not twice.
      if (storedName === null || storedName === missing || !mayKeep(storedName, confirmation)) return 'not_kept'
      const picture = cache.get(storedName) ?? (await loader.load(storedName, reply.raw, request.identity.address))
      if (picture === 'too_large') {
        large.set(storedName, true)
        return 'not_kept'
      }
      if (picture === 'missing') {
        missing = storedName
        confirmations.forget(requested.key)
      } else if (picture !== 'abandoned' && performance.now() <= confirmation.validUntil) {
        return { confirmation, picture }
      }
    }
    throw unavailable(undefined, 1)
  }

  function mayKeep(storedName: string, { size }: Confirmation): boolean {
    return cache.hasRoom() && !large.has(storedName) && (size === null || size <= cache.maxPictureBytes)
  }

  async function respondLater(
    requested: PictureRequest,
    request: FastifyRequest,
    reply: FastifyReply,
    stream: Stream,
  ): Promise<FastifyReply | undefined> {
    let prepared: Awaited<ReturnType<typeof prepare>>
    try {
      prepared = await prepare(requested, request, reply)
    } catch (error) {
      if (reply.raw.destroyed) return reply.hijack()
      outcomes[OUTCOMES[(error as AppError).status] ?? 'unavailable'].inc()
      throw error
    }
    if (reply.raw.destroyed) return reply.hijack()
    if (prepared === 'unconfirmed') return streamed(() => stream(STREAM_STALL_MS))
    if (prepared === 'not_kept') return streamed(stream)
    outcomes[prepared.picture ? 'waited' : 'not_modified'].inc()
    send(reply, prepared)
    return reply
  }

  return (request, reply, stream) => {
    const requested = pictureOf(request)
    if (!requested) return streamed(stream)
    if (respondFromMemory(requested, request, reply)) return undefined
    return respondLater(requested, request, reply, stream)
  }
}

function streamed(stream: Stream): FastifyReply | Promise<FastifyReply> {
  outcomes.streamed.inc()
  return stream()
}

/** Large pictures are sent in parts, which tell how fast the client takes them. */
function payloadOf(bytes: Buffer, reply: FastifyReply): Buffer | Readable {
  if (bytes.length <= PART_BYTES) return bytes
  reply.header('content-length', bytes.length)
  return Readable.from(partsOf(bytes), { objectMode: false })
}

function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
}

/** What a request wants to show; null unless it is a whole rendition. */
function pictureOf(request: FastifyRequest): PictureRequest | null {
  const { filename } = request.params as { filename: string }
  const { download } = request.query as { download?: string }
  if (request.method !== 'GET' || request.headers.range !== undefined || download !== undefined) return null
  const match = RENDITION_NAME.exec(filename)
  if (!match) return null
  const { id, identity } = request
  if (match[1] || identity.userId === null) return { key: filename, filename, id, viewer: null }
  const key = `${identity.userId}${identity.isAdmin ? ' as administrator' : ''}:${filename}`
  return { key, filename, id, viewer: identity }
}

function isUnchanged(request: FastifyRequest, { headers }: Confirmation): boolean {
  return matchesEntityTag(request.headers['if-none-match'], headers.etag)
}
