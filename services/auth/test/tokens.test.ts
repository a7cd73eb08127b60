import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailKind, requestMail } from '../src/mail/request-mail.ts'
import { consumeToken, createToken, readToken, sweepTokens, type TokenPurpose } from '../src/tokens/tokens.ts'
import { startAuth, type TestAuth } from './support.ts'

const KIND = {
  'confirm-email': 'confirm-email',
  'reset-password': 'reset-password',
  'revert-email': 'email-changed',
} as const satisfies Record<TokenPurpose, MailKind>

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

let users = 0

/** A user with an address, who requests and sends mails. */
async function recipient(emailConfirmed: boolean) {
  users += 1
  const address = `user${users}@example.org`
  const { userId } = await auth.register(`user${users}`, { email: address })
  await auth.db.user.update({ where: { id: userId }, data: { emailConfirmed } })
  return {
    userId,
    address,
    async request(purpose: TokenPurpose) {
      await auth.db.$transaction((tx) => requestMail(tx, { kind: KIND[purpose], userId, address }))
      const { id } = await auth.db.mail.findFirstOrThrow({ where: { userId }, orderBy: { seq: 'desc' } })
      return id
    },
    token: (purpose: TokenPurpose, mailId: string) =>
      auth.db.$transaction((tx) => createToken(tx, { purpose, userId, address, mailId })),
    /** Makes the token of a mail that has a use. */
    async mustHave(purpose: TokenPurpose, mailId: string) {
      const token = await this.token(purpose, mailId)
      if (token === null) throw new Error('no token')
      return token
    },
  }
}

const isValid = (purpose: TokenPurpose, token: string) =>
  readToken(auth.db, purpose, token).then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ status: 410, code: 'link_expired' })
      return false
    },
  )
const consume = (purpose: TokenPurpose, token: string) => auth.db.$transaction((tx) => consumeToken(tx, purpose, token))

test('a token has 256 random bits, and the database has only its hash', async () => {
  const user = await recipient(true)
  const token = await user.mustHave('reset-password', await user.request('reset-password'))
  expect(token).toMatch(/^[\w-]{43}$/)
  const [stored] = await auth.db.accountToken.findMany({ where: { userId: user.userId } })
  expect(stored?.hash).toHaveLength(32)
  expect(JSON.stringify([stored?.address, stored?.purpose, Buffer.from(stored?.hash ?? []).toString()])).not.toContain(
    token,
  )
  expect(await readToken(auth.db, 'reset-password', token)).toMatchObject({
    userId: user.userId,
    address: user.address,
  })
})

test.each([
  ['confirm-email', 7 * 24 * 3600],
  ['reset-password', 60 * 60],
  ['revert-email', 7 * 24 * 3600],
] as const)('a token to %s is valid for %i seconds', async (purpose, seconds) => {
  const user = await recipient(purpose === 'reset-password')
  const token = await user.mustHave(purpose, await user.request(purpose))
  const [row] = await auth.db.accountToken.findMany({ where: { userId: user.userId } })
  expect(((row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0)) / 1000).toBe(seconds)
  await auth.db.accountToken.updateMany({ where: { userId: user.userId }, data: { expiresAt: new Date() } })
  expect(await isValid(purpose, token)).toBe(false)
})

test('a token is used once, also by concurrent requests, and only for its purpose', async () => {
  const user = await recipient(true)
  const token = await user.mustHave('reset-password', await user.request('reset-password'))
  expect(await isValid('confirm-email', token)).toBe(false)
  await expect(consume('revert-email', token)).rejects.toMatchObject({ status: 410 })
  const uses = await Promise.allSettled(Array.from({ length: 4 }, () => consume('reset-password', token)))
  expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await isValid('reset-password', token)).toBe(false)
})

test.each(['confirm-email', 'reset-password'] as const)(
  'the tokens of all attempts of one mail to %s are valid until a later mail is sent',
  async (purpose) => {
    const user = await recipient(purpose === 'reset-password')
    const first = await user.request(purpose)
    const tokens = [await user.mustHave(purpose, first), await user.mustHave(purpose, first)]
    expect(await Promise.all(tokens.map((token) => isValid(purpose, token)))).toEqual([true, true])
    const newer = await user.mustHave(purpose, await user.request(purpose))
    expect(await Promise.all([...tokens, newer].map((token) => isValid(purpose, token)))).toEqual([false, false, true])
  },
)

test('a mail that is sent after a later one gets no token and leaves that of the later one valid', async () => {
  const user = await recipient(false)
  const [first, second] = [await user.request('confirm-email'), await user.request('confirm-email')]
  const newer = await user.mustHave('confirm-email', second)
  expect(await user.token('confirm-email', first)).toBeNull()
  expect(await isValid('confirm-email', newer)).toBe(true)
})

test('a notice of a changed address leaves the links of earlier ones valid', async () => {
  const user = await recipient(false)
  const [first, second] = [await user.request('revert-email'), await user.request('revert-email')]
  const tokens = [await user.mustHave('revert-email', second), await user.mustHave('revert-email', first)]
  expect(await Promise.all(tokens.map((token) => isValid('revert-email', token)))).toEqual([true, true])
})

test('there is no token for a mail that was dropped, for another address, or without a use', async () => {
  const user = await recipient(true)
  const mail = await user.request('reset-password')
  await auth.db.user.update({ where: { id: user.userId }, data: { emailConfirmed: false } })
  expect(await user.token('reset-password', mail)).toBeNull()
  await auth.db.user.update({ where: { id: user.userId }, data: { emailConfirmed: true } })
  expect(await user.token('confirm-email', mail)).toBeNull()
  await auth.db.user.update({ where: { id: user.userId }, data: { email: 'other@example.org' } })
  expect(await user.token('reset-password', mail)).toBeNull()
  expect(await user.token('revert-email', randomUUID())).toBeNull()
  await auth.db.mail.update({ where: { id: mail }, data: { status: 'dropped' } })
  expect(await user.token('revert-email', mail)).toBeNull()
})

test('the worker deletes expired tokens', async () => {
  const user = await recipient(false)
  const expired = await user.request('revert-email')
  await user.mustHave('revert-email', expired)
  await auth.db.accountToken.updateMany({ data: { expiresAt: new Date() } })
  const token = await user.mustHave('revert-email', expired)
  expect(await sweepTokens(auth.db)).toBeGreaterThan(0)
  expect(await auth.db.accountToken.count()).toBe(1)
  expect(await isValid('revert-email', token)).toBe(true)
})
