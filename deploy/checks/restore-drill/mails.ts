import { mailboxAt } from '@skyfolio/mailbox'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import type { Verdict } from '../faults/runner.ts'
import { type Environment, query } from './query.ts'

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
  if (sent.length !== 1) verdict.errors.push(`the restored system sent ${sent.length} mails instead of the new one`)
}
