import type { Transaction } from '../../database.ts'
import type { Mail, User } from '../../generated/client.ts'
import { createToken } from '../../tokens/tokens.ts'
import type { MailContent } from '../render-mail.ts'
import { type Composition, type OutgoingMail, quote } from './words.ts'

/** Each link takes three statements, in a transaction that has a time limit. */
const MAX_ACCOUNTS = 20
const MORE_ACCOUNTS = `More accounts have this address than the ${MAX_ACCOUNTS} that one email can list. For any other account, ask the person who runs Skyfolio for help.`

type Account = Pick<User, 'id' | 'username'>
interface Link {
  account: Account
  url: string
}

/**
 * To the accounts whose confirmed address was entered, also while a new one is not confirmed; none for an unknown one. The
 * mails go to the addresses as their users confirmed them, never to the one that was entered: it may be another mailbox
 * that only compares as equal. A mail that an administrator sends is for one of the accounts.
 */
export async function composeResetPassword({ tx, mail, origin }: Composition): Promise<OutgoingMail[]> {
  const accounts = await findAccounts(tx, mail)
  const links = new Map<string, Link[]>()
  for (const account of accounts.slice(0, MAX_ACCOUNTS)) {
    const { id: userId, address } = account
    const token = await createToken(tx, { purpose: 'reset-password', userId, address, mailId: mail.id })
    if (token === null) continue
    const link = { account, url: `${origin}/reset-password#token=${token}` }
    links.set(address, [...(links.get(address) ?? []), link])
  }
  const isCut = accounts.length > MAX_ACCOUNTS
  return [...links].map(([to, ofAddress]) => ({ to, content: wordsFor(ofAddress, isCut, origin) }))
}

/** One account more than a mail lists, if there are so many. */
function findAccounts(
  tx: Transaction,
  { address, userId }: Pick<Mail, 'address' | 'userId'>,
): Promise<(Account & { address: string })[]> {
  return tx.$queryRaw`
    SELECT id, username, CASE WHEN email_confirmed THEN email ELSE former_email END AS address FROM users
    WHERE confirmed_key(email, email_confirmed, former_email) = address_key(${address ?? ''})
      AND (${userId}::int IS NULL OR id = ${userId})
    ORDER BY id LIMIT ${MAX_ACCOUNTS + 1}`
}

function wordsFor(links: Link[], isCut: boolean, origin: string): MailContent {
  const names = links.map(({ account }) => quote(account.username))
  const [first] = names
  const isOne = names.length === 1
  return {
    subject: 'Reset your Skyfolio password',
    title: 'Reset your password',
    blocks: [
      isOne
        ? `Someone asked to reset the password of your Skyfolio account ${first}.`
        : `Someone asked to reset the password for this address, which ${isCut ? `more than ${MAX_ACCOUNTS}` : names.length} Skyfolio accounts use. Each of them has its own link.`,
      ...links.map(({ account, url }) => ({ label: `Choose a new password for ${quote(account.username)}`, url })),
      ...(isCut ? [MORE_ACCOUNTS] : []),
      isOne ? 'The link works once and is valid for an hour.' : 'Each link works once and is valid for an hour.',
      'If you did not ask for this, ignore this email: your password stays as it is.',
    ],
    footer: [
      isOne
        ? `You received this email because it is about the Skyfolio account ${first} at ${origin}.`
        : `You received this email because it is about the Skyfolio accounts ${new Intl.ListFormat('en-US').format(names)} at ${origin}.`,
    ],
  }
}
