import { ACTIVITY_KEY } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Database } from '../database.ts'

const AT_ONCE = 1_000
const LAST_ID = 2 ** 31 - 1

// Members whose score is still what was read: a user who was active since stays for the next time.
const REMOVE_UNCHANGED = `
for i = 1, #ARGV, 2 do
  if redis.call('ZSCORE', KEYS[1], ARGV[i]) == ARGV[i + 1] then redis.call('ZREM', KEYS[1], ARGV[i]) end
end`

/** Moves who was active from Redis into the database. Nothing is removed from Redis before it is committed. */
export async function moveActivity(redis: Redis, db: Database): Promise<void> {
  for (let moved = AT_ONCE; moved === AT_ONCE; ) {
    const members = await redis.zrange(ACTIVITY_KEY, 0, AT_ONCE - 1, 'WITHSCORES')
    if (members.length === 0) return
    await saveActivity(db, readMembers(members))
    await redis.eval(REMOVE_UNCHANGED, 1, ACTIVITY_KEY, ...members)
    moved = members.length / 2
  }
}

/** Pairs of member and score. What is no user's id is left out. */
function readMembers(members: string[]): Map<number, number> {
  const users = new Map<number, number>()
  for (let index = 0; index < members.length; index += 2) {
    const [userId, seconds] = [Number(members[index]), Number(members[index + 1])]
    if (Number.isInteger(userId) && userId > 0 && userId <= LAST_ID) users.set(userId, seconds)
  }
  return users
}

/** The time never goes back, and never beyond now, whatever a gateway's clock says. Users who are erased get none. */
async function saveActivity(db: Database, users: Map<number, number>): Promise<void> {
  await db.$executeRaw`
    INSERT INTO user_activity AS stored (user_id, last_active_at)
    SELECT users.id, least(to_timestamp(seen.seconds), now())
    FROM unnest(${[...users.keys()]}::integer[], ${[...users.values()]}::float8[]) AS seen (user_id, seconds)
    JOIN users ON users.id = seen.user_id
    WHERE NOT EXISTS (SELECT FROM account_deletions WHERE user_id = users.id AND erasing_since IS NOT NULL)
    ORDER BY users.id
    ON CONFLICT (user_id) DO UPDATE SET last_active_at = excluded.last_active_at
    WHERE stored.last_active_at < excluded.last_active_at`
}
