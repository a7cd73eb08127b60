import { AppError, createLimiter } from '@skyfolio/kit'
import { type CountForUser, createUserLimit } from '@skyfolio/kit/user-limit'

type Redis = Parameters<typeof createUserLimit>[0]

/** What one user may take of the uploads: open requests, and files per minute. */
export interface UploadShares {
  /**
   * Counts an upload and its first file; resolves with the function that ends the upload. Before its body is read, since a
   * rejected one must cost little. @throws AppError 429
   */
  open(userId: number): Promise<() => void>
  /** Counts a part of a file as an open upload, and as no file. @throws AppError 429 */
  openPart(userId: number): Promise<() => void>
  /**
   * Counts the files of new upload sessions. As with an upload that has begun, all are accepted when the first one is.
   * Resolves with the function that gives some of them back. @throws AppError 429
   */
  countFiles(userId: number, count: number): Promise<(count: number) => Promise<void>>
  /** Counts a further file of an open upload. It is received in any case: its bytes are on their way. */
  countFurther(userId: number): Promise<void>
  /** Counts a photo that is processed again, like an uploaded one. @throws AppError 429 */
  countProcessing(userId: number): Promise<void>
}

export interface ShareOptions {
  /** Uploads of one user that are open in this process; 32 by default. */
  openPerUser?: number
  /** Over all replicas; 1,800 by default. */
  photosPerMinute?: number
}

/** Several windows that send a few files and parts each; further requests are rejected before their body is read. */
const OPEN_PER_USER = 32
/** Thirty a second, faster than two workers process them: who imports more waits for a moment, and nobody fills the queue. */
const PHOTOS_PER_MINUTE = 1_800
const TOO_FAST = 'You are uploading very many photos. The next ones are accepted in less than a minute.'
const TOO_MANY_OPEN = 'You have too many uploads open at the same time. Please try again in a moment.'

export function createUploadShares(
  redis: Redis,
  { openPerUser = OPEN_PER_USER, photosPerMinute = PHOTOS_PER_MINUTE }: ShareOptions = {},
): UploadShares {
  const uploads = createLimiter({
    perKey: openPerUser,
    maxWaitingPerKey: 0,
    limit: 'uploads-of-user',
    messages: { tooManyOfKey: TOO_MANY_OPEN },
  })
  const countPhoto: CountForUser = createUserLimit(redis, {
    service: 'media',
    name: 'photos',
    windows: [{ count: photosPerMinute, seconds: 60 }],
    message: TOO_FAST,
  })
  async function countFurther(userId: number, count = 1): Promise<void> {
    await countPhoto(userId, count).catch((error) => {
      if (!(error instanceof AppError)) throw error
    })
  }

  const openPart = (userId: number) => uploads.acquire({ key: userId })

  return {
    async open(userId) {
      const end = await openPart(userId)
      try {
        await countPhoto(userId)
      } catch (error) {
        end()
        throw error
      }
      return end
    },
    openPart,
    async countFiles(userId, count) {
      const { refund } = await countPhoto(userId)
      if (count > 1) await countFurther(userId, count - 1)
      return async (some) => {
        if (some > 0) await refund(some)
      }
    },
    countFurther: (userId) => countFurther(userId),
    countProcessing: async (userId) => void (await countPhoto(userId)),
  }
}
