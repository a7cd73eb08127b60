import type { Redis } from 'ioredis'

/** The sorted set of users who were active. The gateway and auth write it; the worker of auth empties it. */
export const ACTIVITY_KEY = 'user-activity'

/** Writes when users were last active, by id in seconds since 1970. A later time that is stored stays. */
export async function writeActivity(redis: Redis, users: Map<number, number>): Promise<void> {
  await redis.zadd(ACTIVITY_KEY, 'GT', ...[...users].flatMap(([userId, seconds]) => [seconds, userId]))
}
