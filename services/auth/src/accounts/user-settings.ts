import { unauthenticated } from '@skyfolio/kit'
import type { Database } from '../database.ts'

/** How a user's pages show photos, on all devices. */
export interface UserSettings {
  units: 'metric' | 'imperial'
  sort: 'newest' | 'oldest' | 'taken-newest' | 'taken-oldest'
  view: 'grid' | 'list'
}

const COLUMNS = { units: true, sort: true, view: true } as const

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
function existing(row: Record<keyof UserSettings, string> | null | undefined): UserSettings {
  if (!row) throw unauthenticated()
  return row as UserSettings
}
