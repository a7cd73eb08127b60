import { Nullable, unauthenticated } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database, Transaction } from '../database.ts'
import type { AuthDeps } from '../deps.ts'
import { publishUserChanged } from '../events.ts'
import type { User } from '../generated/client.ts'
import { addressOf, enterAddress } from './address.ts'
import { announceAddress, limitAddressMail } from './addresses.ts'
import type { ProfileChanges } from './forms.ts'
import { lockUser } from './users.ts'

/** Changes what users change of their own account. @throws 429 after too many changes of the address or the display name */
export async function updateProfile(deps: AuthDeps, userId: number, changes: ProfileChanges): Promise<User> {
  const { db, rateLimits, canSendMail, onCommit } = deps
  const { displayName } = changes
  if (displayName !== undefined && (await db.user.count({ where: { id: userId, displayName } })) === 0) {
    await rateLimits.displayName(userId)
  }
  if (canSendMail) await limitAddressMail(deps, userId, changes.email)
  const user = await db.$transaction((tx) => applyChanges(tx, userId, changes, canSendMail))
  onCommit()
  return user
}

async function applyChanges(
  tx: Transaction,
  userId: number,
  { email, ...rest }: ProfileChanges,
  canSendMail: boolean,
): Promise<User> {
  const user = await lockUser(tx, userId)
  const address = email === undefined ? addressOf(user) : enterAddress(addressOf(user), email)
  const isPublished = (['publicByDefault', 'displayName'] as const).some(
    (field) => rest[field] !== undefined && rest[field] !== user[field],
  )
  const changed = await tx.user.update({
    where: { id: userId },
    data: { ...rest, ...address, ...(isPublished && { revision: { increment: 1 } }) },
  })
  await announceAddress(tx, { before: user, after: changed, canSendMail })
  if (isPublished) await publishUserChanged(tx, changed)
  return changed
}

const SETTINGS = {
  units: Type.Union([Type.Literal('metric'), Type.Literal('imperial')]),
  sort: Type.Union([
    Type.Literal('newest'),
    Type.Literal('oldest'),
    Type.Literal('taken-newest'),
    Type.Literal('taken-oldest'),
  ]),
  view: Type.Union([Type.Literal('grid'), Type.Literal('list')]),
  // Bounds as in gateway/src/map-layers.ts, which names the layers.
  mapLayer: Nullable(
    Type.String({ minLength: 1, maxLength: 40, description: 'Name of the layer of maps; null: the own map' }),
  ),
  mapHosts: Type.Array(Type.String({ minLength: 1, maxLength: 260, pattern: '^[a-z0-9.:[\\]-]+$' }), {
    maxItems: 10,
    uniqueItems: true,
    description: 'Hosts of layers that the user has agreed to load',
  }),
}
/** How a user's pages show photos and maps, on all devices. */
export const UserSettings = Type.Object(SETTINGS)
export type UserSettings = Type.Static<typeof UserSettings>
export const SettingsForm = Type.Partial(Type.Object(SETTINGS), { additionalProperties: false })

const COLUMNS = { units: true, sort: true, view: true, mapLayer: true, mapHosts: true } as const

/** @throws 401 when the user no longer exists */
export async function readSettings(db: Database, userId: number): Promise<UserSettings> {
  return existing(await db.user.findUnique({ where: { id: userId }, select: COLUMNS }))
}

/** Changes the given settings; the others stay. @throws 401 when the user no longer exists */
export async function changeSettings(
  db: Database,
  userId: number,
  changes: Partial<UserSettings>,
): Promise<UserSettings> {
  const [row] = await db.user.updateManyAndReturn({ where: { id: userId }, data: changes, select: COLUMNS })
  return existing(row)
}

/** The constraints of the table permit no other values. */
function existing(row: Record<keyof UserSettings, string | string[] | null> | null | undefined): UserSettings {
  if (!row) throw unauthenticated()
  return row as UserSettings
}
