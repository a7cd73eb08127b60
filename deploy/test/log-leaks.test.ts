import { newSessionToken, sessionHash, signIdentity } from '@skyfolio/kit'
import { expect, test } from 'vitest'
import { createVoterIdentity } from '../../services/folders/src/voting/voter-identity.ts'
import { leaksIn } from './log-leaks.ts'

const keys = ['k'.repeat(32)]
const token = recognizable(newSessionToken)
const identity = {
  userId: 1,
  username: 'pilot',
  isAdmin: false,
  sessionHash: sessionHash(token),
  address: '127.0.0.1',
  confirmedAt: null,
}

/** One random token in 1,500 has no digit, and looks like a name in a stack: `leaksIn` lets it pass. */
function recognizable(create: () => string): string {
  const value = create()
  return /\d/.test(value) ? value : recognizable(create)
}

test.each([
  ['an email address', 'sent to pilot@example.test'],
  ['a session token', token],
  ['a hash of one', recognizable(() => sessionHash(newSessionToken()))],
  ['a voter token', recognizable(() => createVoterIdentity(keys, { secure: false }).newToken())],
  ['an identity', `x: ${signIdentity(identity, keys)}`],
  ['the name of a print image', `/api/uploads/p-${'0a'.repeat(16)}-t4mjk0-${'1b'.repeat(16)}.jpg`],
  ['a cookie', 'cookie: "sid=abc"'],
  ['the cookie of known devices', 'cookie: "device=abc"'],
  ['a password', '{"body":{"password":"hunter2"}}'],
  ['a latitude', '{"latitude":"46.8"}'],
  ['degrees', 'near 46.842607 -91.99456'],
  ['a secret that the test knows', 'logging in with over-the-lake'],
])('%s in a log line is found', (_, leak) => {
  expect(leaksIn(`first\nworker   | INFO: ${leak}\nlast`, ['over-the-lake'])).not.toEqual([])
})

test('ordinary lines are not leaks', () => {
  const lines = [
    'gateway  | [12:00:01] INFO: request {"method":"POST","route":"/api/login","status":200,"ms":103.4}',
    'auth     | [12:00:01] WARN: {"password":"[hidden]","cookie":"[hidden]","email":"[hidden]"}',
    'media    |     at process (file:///repo/services/media/src/processing/process-photo.ts:193:22)',
    'postgres | 2026-11-27 12:00:01.123 UTC [4711] LOG:  checkpoint complete: wrote 12 buffers (0.1%)',
    'folders  | Error: the_name_of_a_function_that_is_forty_three_long_1',
  ]
  expect(leaksIn(lines.join('\n'), ['over-the-lake'])).toEqual([])
})
