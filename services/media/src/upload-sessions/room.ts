import type pg from 'pg'
import { displayName } from '../uploads/rejections.ts'
import { fileExceedsQuota, QUOTA_EXCEEDED, UPLOAD_TERMS } from '../usage/quota.ts'
import type { DeclaredFile } from './declared-files.ts'
import type { SessionLimits } from './deps.ts'

/** What a user's photos and open sessions take, and the quota. */
export interface Room {
  limit: number | null
  /** Bytes of photos. */
  used: number
  /** Open sessions, and the bytes of their files, which are reserved. */
  sessions: number
  staged: number
}

const TOO_MANY = 'Other uploads of yours are not finished. Please finish or discard them first.'

export async function readRoom(pool: pg.Pool, userId: number, defaultQuota: number | null): Promise<Room> {
  const { rows } = await pool.query<Room>({
    name: 'upload-room',
    text: `SELECT terms."limit", terms.used, open.sessions, open.staged
      FROM (SELECT count(*)::int AS sessions, coalesce(sum(size), 0)::float8 AS staged FROM upload_sessions
        WHERE user_id = $1 AND state IN ('open', 'completing')) AS open, ${UPLOAD_TERMS}`,
    values: [userId, defaultQuota],
  })
  const [room] = rows
  if (!room) throw new Error('no room of a user')
  return room
}

/** What is left for further files when these have sessions. */
export function withSession(room: Room, { size }: { size: number }): Room {
  return { ...room, sessions: room.sessions + 1, staged: room.staged + size }
}

/** Why there is no room for a session of the file: a sentence and a code. */
export function findRoomRejection({ name, size }: DeclaredFile, room: Room, limits: SessionLimits) {
  const { limit, used, sessions, staged } = room
  if (limit !== null && used + staged + size > limit) {
    const quota = { limit, used: used + staged }
    return { issue: fileExceedsQuota(displayName(name), quota).message, code: QUOTA_EXCEEDED } as const
  }
  if (sessions < limits.sessionsPerUser && staged + size <= limits.bytesPerUser) return null
  return hasToWait({ name })
}

export function hasToWait({ name }: Pick<DeclaredFile, 'name'>) {
  return { issue: `${displayName(name)} has to wait. ${TOO_MANY}`, code: 'too_many_uploads' } as const
}
