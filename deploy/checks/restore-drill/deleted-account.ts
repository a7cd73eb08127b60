import { databases } from '../../components.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { expectEventually, type Verdict } from '../faults/runner.ts'
import type { Leaver } from './load.ts'
import { type Environment, query, runCommand } from './query.ts'

const TIMEOUT_MS = 90_000
/** They only say that somebody is deleted. */
const TOMBSTONES = [
  ...['account_deletions', 'service_erasures', 'erasures', 'erased_orders'],
  ...['deleted_users', 'deleted_folders', 'erased_users', 'users'],
]

async function isErased(env: Environment, userId: number): Promise<boolean> {
  const erased = 'SELECT FROM account_deletions WHERE user_id = $1 AND erased_at IS NOT NULL'
  return (await query(env, 'auth', erased, [userId])).length > 0
}

/** Deletes an account in a system with ACCOUNT_DELETION_DAYS=0, and waits until every service has erased it. */
export async function leave(verdict: Verdict, { url, env }: RuntimeState, leaver: Leaver): Promise<void> {
  const { call } = await openSignedInClient(url, leaver)
  await call('DELETE', '/api/user', { password: leaver.password })
  await expectEventually(verdict, 'a deleted account is erased', TIMEOUT_MS, () => isErased(env, leaver.userId))
}

/** A step of docs/operations.md for a restore: erases again who was erased after the backup. Nothing runs yet. */
export async function replayDeletions(env: Environment): Promise<string> {
  const script = 'services/auth/src/commands/replay-deletions.ts'
  return `deletions -- replay: ${await runCommand({ ...env.media, ...env.auth }, script, 'replay')}`
}

/** Checks that nobody finds the account in a restored system, nor any of its rows. */
export async function checkLeaver(verdict: Verdict, { url, env }: RuntimeState, leaver: Leaver): Promise<void> {
  const { username, password, shareCode, userId } = leaver
  await expectEventually(verdict, 'an account that was deleted after the backup is erased again', TIMEOUT_MS, () =>
    isErased(env, userId),
  )
  const share = await fetch(`${url}/api/share/${shareCode}`)
  if (share.status !== 404) verdict.errors.push(`the share of a deleted account returned ${share.status}`)
  const login = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  if (login.status !== 401) verdict.errors.push(`the login of a deleted account returned ${login.status}`)
  const left = (await Promise.all(databases().map((service) => tablesNaming(env, service, userId)))).flat()
  const more = left.filter((table) => !TOMBSTONES.includes(table))
  if (more.length > 0) verdict.errors.push(`rows of a deleted account are left in ${more.join(', ')}`)
}

/** Tables with a column user_id, or users, that have rows of the user, other than of entities that are marked as deleted. */
async function tablesNaming(env: Environment, service: string, userId: number): Promise<string[]> {
  const columns = await query<{ name: string; column: string; marks: boolean }>(
    env,
    service,
    `SELECT table_name AS name, column_name AS column, EXISTS (SELECT FROM information_schema.columns AS other
       WHERE other.table_schema = 'public' AND other.table_name = columns.table_name AND other.column_name = 'deleted') AS marks
     FROM information_schema.columns WHERE table_schema = 'public'
     AND (column_name = 'user_id' OR table_name = 'users' AND column_name = 'id')`,
  )
  const found: string[] = []
  for (const { name, column, marks } of columns) {
    const present = `"${column}" = $1${marks ? ' AND NOT deleted' : ''}`
    if ((await query(env, service, `SELECT FROM "${name}" WHERE ${present} LIMIT 1`, [userId])).length > 0)
      found.push(name)
  }
  return found
}
