import { mailboxAt } from '@skyfolio/mailbox'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { expectEventually, type Verdict } from '../faults/runner.ts'
import { type Environment, query } from './query.ts'

const TIMEOUT_MS = 60_000

interface State {
  id: number
  revision: number
  /** All that the owner publishes. */
  state: string
}

/** An entity as its owner has it, and as its projection does. */
export interface Comparison {
  own: State[]
  known: State[]
}

const USERS = `SELECT id, revision, concat_ws(' ', public_by_default, quota) AS state FROM users`
const USAGE = `SELECT user_id AS id, revision::int AS revision, concat_ws(' ', photos, locations, bytes) AS state FROM user_usage`

/** Reads the users of auth and media's projection of them. */
export async function readUsers(env: Environment): Promise<Comparison> {
  return { own: await query(env, 'auth', USERS), known: await query(env, 'media', `${USERS} WHERE NOT deleted`) }
}

/** Reads what media's users store, and auth's projection of it. */
export async function readUsage(env: Environment): Promise<Comparison> {
  return { own: await query(env, 'media', USAGE), known: await query(env, 'auth', USAGE) }
}

function differences({ own, known }: Comparison): number[] {
  const texts = new Map(known.map(({ id, revision, state }) => [id, `${revision} ${state}`]))
  return own.filter(({ id, revision, state }) => texts.get(id) !== `${revision} ${state}`).map(({ id }) => id)
}

/** Waits until media knows the users, and auth what each of them stores. */
export async function checkAccounts(verdict: Verdict, { env }: RuntimeState): Promise<void> {
  await expectEventually(verdict, 'the projection of users in media matches auth', TIMEOUT_MS, async () => {
    return differences(await readUsers(env)).length === 0
  })
  await expectEventually(verdict, 'the usage in auth matches media', TIMEOUT_MS, async () => {
    return differences(await readUsage(env)).length === 0
  })
  const sums = await query<{ id: number; bytes: string }>(
    env,
    'media',
    'SELECT user_id AS id, sum(filesize) AS bytes FROM photos GROUP BY 1',
  )
  const usage = await query<{ id: number; bytes: string }>(env, 'auth', 'SELECT user_id AS id, bytes FROM user_usage')
  const known = new Map(usage.map(({ id, bytes }) => [id, bytes]))
  const wrong = sums.filter(({ id, bytes }) => known.get(id) !== bytes)
  verdict.facts.push(`users with photos: ${sums.length}, whose storage differs from a recount: ${wrong.length}`)
  verdict.errors.push(...wrong.map(({ id, bytes }) => `user ${id} stores ${bytes} bytes, not ${known.get(id)}`))
}

const NEWCOMER = { username: 'newcomer', password: 'never-got-a-mail', email: 'newcomer@skyfolio.test' }

/** Registers a user whose mail the mail server does not accept, so that it waits at the snapshot. */
export async function leaveMailWaiting({ url, mailbox }: RuntimeState): Promise<void> {
  await mailboxAt(mailbox?.url ?? '', mailbox?.key).setFault({ reply: 'busy' })
  await openSignedInClient(url, NEWCOMER)
}

/** A step of docs/operations.md for a restore: mails that waited at the snapshot were probably sent since. */
export async function dropWaitingMails(env: Environment): Promise<string> {
  const dropped = await query(
    env,
    'auth',
    "UPDATE mails SET status = 'dropped', address = NULL, finished_at = now() WHERE status = 'waiting' RETURNING id",
  )
  return `mails that waited at the snapshot, dropped: ${dropped.length}`
}

/** Checks that no earlier mail is sent again, and that a new one is sent. */
export async function checkMails(verdict: Verdict, { url, mailbox }: RuntimeState): Promise<void> {
  const mails = mailboxAt(mailbox?.url ?? '', mailbox?.key)
  const { call } = await openSignedInClient(url, NEWCOMER)
  await call('POST', '/api/user/email/confirmation')
  await mails
    .waitForMail({ to: NEWCOMER.email })
    .catch((error: Error) => verdict.errors.push(`a new mail: ${error.message}`))
  const sent = await mails.messages()
  verdict.facts.push(`mails sent by the restored system: ${sent.length}`)
  if (sent.length !== 1) verdict.errors.push(`the restored system sent ${sent.length} mails instead of the new one`)
}
