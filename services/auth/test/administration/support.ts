import { createLogger } from '@skyfolio/kit'
import { changeAsOperator } from '../../src/administration/change-users.ts'
import { createSessions } from '../../src/sessions/sessions.ts'
import type { Browser, TestAuth } from '../support.ts'

/** Changes a user as the command of an operator does. */
export function asOperator(
  { db, redis, nats }: TestAuth,
  username: string,
  changes: Parameters<typeof changeAsOperator>[2],
) {
  const sessions = createSessions(redis, nats)
  return changeAsOperator({ db, sessions, logger: createLogger('test', 'silent') }, username, changes)
}

/** Registers a user and makes it an administrator, as an operator does; returns the browser that is signed in. */
export async function registerAdministrator(auth: TestAuth, username: string): Promise<Browser> {
  await auth.register(username)
  await asOperator(auth, username, { isAdmin: true })
  return auth.signIn(username)
}

/** The entries of the audit log about a user, oldest first. */
export async function auditOf(auth: TestAuth, userId: number) {
  const entries = await auth.db.auditEntry.findMany({ where: { ownerId: userId }, orderBy: { seq: 'asc' } })
  return entries.map(({ actorId, action, detail }) => ({ actorId, action, detail }))
}

/** Lets time pass in which the password of a session was not entered. */
export async function ageSession({ redis }: TestAuth, { session }: Browser, minutes: number): Promise<void> {
  const key = `session:${session.hash}`
  const stored = JSON.parse((await redis.get(key)) ?? '{}')
  const earlier = (time: string) => new Date(Date.parse(time) - minutes * 60_000).toISOString()
  const { confirmedAt } = stored
  const aged = {
    ...stored,
    createdAt: earlier(stored.createdAt),
    ...(confirmedAt && { confirmedAt: earlier(confirmedAt) }),
  }
  await redis.set(key, JSON.stringify(aged), 'KEEPTTL')
}
