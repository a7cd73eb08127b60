import type { User } from '../../generated/client.ts'
import { createToken } from '../../tokens/tokens.ts'
import type { MailContent } from '../render-mail.ts'
import type { Composition, OutgoingMail } from './composition.ts'
import { quote } from './words.ts'

type Account = Pick<User, 'id' | 'username'> & { email: string }

/**
 * To the accounts whose confirmed address was entered, none for an unknown one. The mails go to the addresses as their
 * users confirmed them, never to the one that was entered: it may be another mailbox that only compares as equal.
 */
export async function composeResetPassword({ tx, mail, origin }: Composition): Promise<OutgoingMail[]> {
  const accounts = await tx.$queryRaw<Account[]>`
    SELECT id, username, email FROM users
    WHERE email_confirmed AND email_key = lower(normalize(${mail.address ?? ''}, NFC) COLLATE "und-x-icu") ORDER BY id`
  const links = new Map<string, { account: Account; url: string }[]>()
  for (const account of accounts) {
    const { id: userId, email: address } = account
    const token = await createToken(tx, { purpose: 'reset-password', userId, address, mailId: mail.id })
    if (token === null) continue
    const link = { account, url: `${origin}/reset-password#token=${token}` }
    links.set(address, [...(links.get(address) ?? []), link])
  }
  return [...links].map(([to, ofAddress]) => ({ to, content: wordsFor(ofAddress, origin) }))
}

function wordsFor(links: { account: Account; url: string }[], origin: string): MailContent {
  const names = links.map(({ account }) => quote(account.username))
  const [first] = names
  const isOne = names.length === 1
  return {
    subject: 'Reset your Skyfolio password',
    title: 'Reset your password',
    blocks: [
      isOne
        ? `A new password was requested for your Skyfolio account ${first}.`
        : `A new password was requested for this address, which ${names.length} Skyfolio accounts have. Each of them has its own link.`,
      ...links.map(({ account, url }) => ({ label: `Choose a new password for ${quote(account.username)}`, url })),
      isOne ? 'The link works once and is valid for 30 minutes.' : 'Each link works once and is valid for 30 minutes.',
      'If you did not request this, ignore this mail: your password stays as it is.',
    ],
    footer: [
      isOne
        ? `This mail is about the account ${first} of Skyfolio at ${origin}.`
        : `This mail is about the accounts ${names.join(', ')} of Skyfolio at ${origin}.`,
    ],
  }
}
