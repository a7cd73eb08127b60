import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Clocks } from '../src/http/identity.ts'
import {
  type Identity,
  newSessionToken,
  passwordEnteredAt,
  requireRecentPassword,
  sessionHash,
  signIdentity,
  verifyIdentity,
  visitorIdentity,
} from '../src/index.ts'

const oldKey = 'old-key-old-key-old-key-old-key-old-key'
const newKey = 'new-key-new-key-new-key-new-key-new-key'
const ada: Identity = {
  userId: 1,
  username: 'ada',
  isAdmin: false,
  sessionHash: 'h',
  address: '192.0.2.1',
  confirmedAt: 5,
}
const refused = expect.objectContaining({ status: 401, code: 'identity_invalid' })
/** Nobody is signed out because the clocks of two servers differ. */
const late = expect.objectContaining({ status: 503, code: 'unavailable' })

function attempt(token: string | undefined, keys = [newKey], now?: Clocks): unknown {
  try {
    return verifyIdentity(token, keys, now)
  } catch (error) {
    return error
  }
}

test('a signed identity is verified unchanged', () => {
  expect(verifyIdentity(signIdentity(ada, [newKey]), [newKey])).toEqual(ada)
  const visitor = visitorIdentity('::1')
  expect(verifyIdentity(signIdentity(visitor, [newKey]), [newKey])).toEqual(visitor)
})

test('the password was entered at the sign-in or since, if the session says when', () => {
  const createdAt = '2026-03-01T10:00:00.000Z'
  const later = '2026-03-01T11:00:00.000Z'
  expect(passwordEnteredAt({ createdAt })).toBe(Date.parse(createdAt))
  expect(passwordEnteredAt({ createdAt, confirmedAt: later })).toBe(Date.parse(later))
  expect(passwordEnteredAt({ createdAt: '' })).toBeNull()
})

test.each([
  ['just now', 0, undefined],
  ['14 minutes ago', 14, undefined],
  ['16 minutes ago', 16, 'password_required'],
  ['nobody knows when', null, 'password_required'],
])('a password that was entered %s', (_when, minutes, code) => {
  const confirmedAt = minutes === null ? null : Date.now() - minutes * 60_000
  const check = () => requireRecentPassword({ confirmedAt })
  if (code === undefined) expect(check()).toBeUndefined()
  else expect(check).toThrow(expect.objectContaining({ status: 403, code }))
})

/** Both clocks say so. */
const at = (ms: number) => [ms, ms] as const

test('it is valid for sixty seconds', () => {
  const token = signIdentity(ada, [newKey], at(1_000_000))
  expect(attempt(token, [newKey], at(1_060_000))).toEqual(ada)
  expect(attempt(token, [newKey], at(1_060_001))).toEqual(late)
})

test('rejects one from the future, but tolerates a small clock skew', () => {
  const token = signIdentity(ada, [newKey], at(1_000_000))
  expect(attempt(token, [newKey], at(996_000))).toEqual(ada)
  expect(attempt(token, [newKey], at(990_000))).toEqual(late)
})

test.each([
  ['who signs', [8_600_000, 5_000_000], at(5_000_000)],
  ['who verifies', at(5_000_000), [1_400_000, 5_000_000]],
  ['both', [8_600_000, 5_000_000], [1_400_000, 5_000_000]],
] as const)('a clock that jumps by an hour does no harm: that of %s', (_whose, signed, now) => {
  expect(attempt(signIdentity(ada, [newKey], signed), [newKey], now)).toEqual(ada)
})

test('a machine that was suspended is not rejected', () => {
  expect(attempt(signIdentity(ada, [newKey], [5_000_000, 1_400_000]), [newKey], at(5_000_000))).toEqual(ada)
})

test('while keys rotate, the first signs and all verify', () => {
  expect(attempt(signIdentity(ada, [oldKey, newKey]), [newKey, oldKey])).toEqual(ada)
  expect(attempt(signIdentity(ada, [newKey, oldKey]), [newKey])).toEqual(ada)
  expect(attempt(signIdentity(ada, [oldKey, newKey]), [newKey])).toEqual(refused)
})

test('rejects a changed payload under a valid signature', () => {
  const [, signature] = signIdentity(ada, [newKey]).split('.')
  const [payload] = signIdentity({ ...ada, isAdmin: true }, [oldKey]).split('.')
  expect(attempt(`${payload}.${signature}`)).toEqual(refused)
})

test.each([undefined, '', '.', 'a', 'a.b', 'a.b.c', `${signIdentity(ada, [newKey])}.x`])('rejects %j', (token) => {
  expect(attempt(token)).toEqual(refused)
})

test('rejects a signature made for another purpose', () => {
  const payload = Buffer.from('{"userId":1}').toString('base64url')
  const signature = createHmac('sha256', newKey).update(payload).digest('base64url')
  expect(attempt(`${payload}.${signature}`)).toEqual(refused)
  const text = 'not json'
  expect(attempt(`${text}.${createHmac('sha256', newKey).update(text).digest('base64url')}`)).toEqual(refused)
})

test('session tokens are random, and their hash does not reveal them', () => {
  const token = newSessionToken()
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect(newSessionToken()).not.toBe(token)
  expect(sessionHash(token)).toBe(sessionHash(token))
  expect(sessionHash(token)).not.toContain(token)
})
