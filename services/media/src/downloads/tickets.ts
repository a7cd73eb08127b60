import { notFound } from '@skyfolio/kit'
import { createRateLimit } from '@skyfolio/kit/rate-limit'
import { newId } from '../files/object-keys.ts'

type Redis = Parameters<typeof createRateLimit>[0]

/** As which files photos are downloaded: their originals, or their previews. */
export type DownloadSize = 'original' | 'web'

/** Which originals: all but raw files (DNG, and TIFF of a pair), these alone, or both. */
export const DOWNLOAD_FILES = ['jpeg', 'raw', 'both'] as const
export type DownloadFiles = (typeof DOWNLOAD_FILES)[number]

/** What a user may download for a while. */
export interface DownloadTicket {
  id: string
  userId: number
  /** Of the archive, without its extension. */
  name: string
  photoIds: number[]
  files: DownloadFiles
  /** The sizes of which every photo's checksum has been read, as far as it has such a file. */
  prepared: DownloadSize[]
}

const LIFETIME_SECONDS = 6 * 3600
const PER_HOUR = 60
/** A ticket takes up to 70 KB of Redis, as long as it is used. */
const PER_USER = 20
const NOT_FOUND = 'This download does not exist any more. Please start it again.'
const TOO_MANY = 'You have prepared very many downloads. Please try again later.'

const keyOf = (id: string) => `media:download:${id}`
/** The ids of a user's tickets, the oldest first. */
const listOf = (userId: number) => `media:downloads-of:${userId}`

export type DownloadTickets = ReturnType<typeof createDownloadTickets>

/** Tickets for downloads of photos, in Redis: ids of thousands of photos are too long for a URL. */
export function createDownloadTickets(redis: Redis) {
  const limit = createRateLimit(redis, {
    service: 'media',
    name: 'downloads-of-user',
    windows: [{ count: PER_HOUR, seconds: 3600 }],
    message: TOO_MANY,
  })

  async function save(id: string, fields: Record<string, string>): Promise<void> {
    await redis.hset(keyOf(id), fields)
    await redis.expire(keyOf(id), LIFETIME_SECONDS)
  }

  /** The user's oldest ticket goes when there are too many. */
  async function keepFew(userId: number, id: string): Promise<void> {
    const list = listOf(userId)
    const tickets = await redis.rpush(list, id)
    await redis.expire(list, LIFETIME_SECONDS)
    const oldest = tickets > PER_USER ? await redis.lpop(list) : null
    if (oldest !== null) await redis.del(keyOf(oldest))
  }

  return {
    /** Ends the oldest ticket of a user who has too many. @throws AppError 429 */
    async create(
      userId: number,
      { name, photoIds, files }: Pick<DownloadTicket, 'name' | 'photoIds' | 'files'>,
    ): Promise<DownloadTicket> {
      await limit.count(userId)
      const id = newId()
      await keepFew(userId, id)
      await save(id, { userId: String(userId), name, photoIds: photoIds.join(), files })
      return { id, userId, name, photoIds, files, prepared: [] }
    },
    /** Also prolongs the ticket: a download that breaks off is resumed with it. @throws AppError 404 */
    async find(id: string, userId: number): Promise<DownloadTicket> {
      const fields = await redis.hgetall(keyOf(id))
      const { name, photoIds, files = 'both' } = fields
      if (fields.userId !== String(userId) || name === undefined || !photoIds) throw notFound(NOT_FOUND)
      for (const key of [keyOf(id), listOf(userId)]) await redis.expire(key, LIFETIME_SECONDS)
      const prepared = (['original', 'web'] as const).filter((size) => fields[size])
      return { id, userId, name, photoIds: photoIds.split(',').map(Number), files: files as DownloadFiles, prepared }
    },
    markPrepared: (id: string, size: DownloadSize) => save(id, { [size]: 'prepared' }),
  }
}

/** What a visitor may download with a link for a while. */
interface SharedTicket {
  linkId: number
  size: DownloadSize
  /** Null: all photos that the link shows then. */
  photoIds: number[] | null
}

export type SharedDownloadTickets = ReturnType<typeof createSharedDownloadTickets>

/** Tickets for downloads with a link, in Redis. Nobody guesses an id; the right is that of the link at the time of the download. */
export function createSharedDownloadTickets(redis: Redis) {
  const limit = createRateLimit(redis, {
    service: 'media',
    name: 'downloads-of-link-by-site',
    windows: [{ count: PER_HOUR, seconds: 3600 }],
    message: 'Very many downloads were prepared in your network. Please try again later.',
  })
  const keyOfShared = (id: string) => `media:shared-download:${id}`

  return {
    /** @param site of the client's address @throws AppError 429 */
    async create(site: string, { linkId, size, photoIds }: SharedTicket): Promise<string> {
      await limit.count(`${linkId} ${site}`)
      const id = newId()
      const fields = { linkId: String(linkId), size, photoIds: photoIds?.join() ?? '' }
      await redis.hset(keyOfShared(id), fields)
      await redis.expire(keyOfShared(id), LIFETIME_SECONDS)
      return id
    },
    /** Also prolongs the ticket. @throws AppError 404 */
    async find(id: string, linkId: number): Promise<SharedTicket> {
      const fields = await redis.hgetall(keyOfShared(id))
      if (fields.linkId !== String(linkId)) throw notFound(NOT_FOUND)
      await redis.expire(keyOfShared(id), LIFETIME_SECONDS)
      const photoIds = fields.photoIds ? fields.photoIds.split(',').map(Number) : null
      return { linkId, size: fields.size as DownloadSize, photoIds }
    },
  }
}
