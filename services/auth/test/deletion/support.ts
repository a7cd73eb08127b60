import { fromBinary } from '@bufbuild/protobuf'
import { createLogger, emit, startRelay } from '@skyfolio/kit'
import {
  type ErasureChangedSchema,
  type EventTopic,
  events,
  UserChangedSchema,
  UserDeletedSchema,
} from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { type Owner, registerConfirmed } from '../password-support.ts'
import { type Browser, PASSWORD, type TestAuth } from '../support.ts'

const TOPICS = {
  folders: events.foldersErasureChanged,
  media: events.mediaErasureChanged,
  'print-orders': events.ordersErasureChanged,
} satisfies Record<string, EventTopic<typeof ErasureChangedSchema>>

export type Service = keyof typeof TOPICS
export const ALL = Object.keys(TOPICS) as Service[]

export interface Progress {
  complete?: boolean
  waitsFor?: string
  revision?: number
}

/** Publishes how far a service is, as the service does. */
export async function confirm(auth: TestAuth, userId: number, services: Service[], progress: Progress = {}) {
  const message = { userId, complete: true, waitsFor: '', revision: 1, ...progress }
  await auth.db.$transaction(async (tx) => {
    for (const service of services) await emit(tx, TOPICS[service], message)
  })
  await flush(auth)
}

/** Publishes what is in the outbox. */
export async function flush(auth: TestAuth): Promise<void> {
  const relay = startRelay({ pool: auth.pool, nats: auth.nats, logger: createLogger('test', 'silent') })
  await relay.flush()
  await relay.stop()
}

export async function registerAdmin(auth: TestAuth, username: string): Promise<Browser> {
  const { userId } = await auth.register(username)
  await auth.db.user.update({ where: { id: userId }, data: { isAdmin: true } })
  return auth.signIn(username)
}

/** A user with a confirmed address who has requested the deletion of the account. */
export async function registerDeleting(auth: TestAuth, username: string): Promise<Owner> {
  const owner = await registerConfirmed(auth, username)
  const response = await deleteOwn(owner)
  if (response.statusCode !== 202) throw new Error(`not requested: ${response.body}`)
  return owner
}

export const deleteOwn = ({ call }: Pick<Browser, 'call'>, password = PASSWORD) =>
  call('DELETE', '/api/user', { password })

/** As if the time in which a deletion can be revoked had passed. */
export async function turnClock(auth: TestAuth, userId: number, seconds = 0): Promise<void> {
  await auth.pool.query(
    'UPDATE account_deletions SET deletes_at = now() - make_interval(secs => $2) WHERE user_id = $1',
    [userId, seconds],
  )
}

export const deletionOf = (auth: TestAuth, userId: number) => auth.db.accountDeletion.findUnique({ where: { userId } })

export async function isErased(auth: TestAuth, userId: number): Promise<boolean> {
  return ((await deletionOf(auth, userId))?.erasedAt ?? null) !== null
}

export async function waitForErasure(auth: TestAuth, userId: number): Promise<void> {
  await waitFor(() => isErased(auth, userId), { what: 'the account to be erased' })
}

/** Whether the last event of a user says suspended; how many events say deleted. */
export async function published(auth: TestAuth, userId: number) {
  const rows = await auth.db.outbox.findMany({ orderBy: { seq: 'asc' } })
  const changes = rows
    .filter(({ subject }) => subject === events.userChanged.subject)
    .map(({ payload }) => fromBinary(UserChangedSchema, payload))
    .filter(({ user }) => user?.id === userId)
  const deletions = rows
    .filter(({ subject }) => subject === events.userDeleted.subject)
    .filter(({ payload }) => fromBinary(UserDeletedSchema, payload).userId === userId)
  return { suspended: changes.at(-1)?.user?.suspended, revision: changes.at(-1)?.revision, deletions: deletions.length }
}
