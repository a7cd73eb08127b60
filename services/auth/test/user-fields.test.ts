import { expect, test } from 'vitest'
import { emailProblem } from '../src/accounts/user-fields.ts'

test.each([
  null,
  'a@example.org',
  "o'neil+photos=1@mail.example-site.co.uk",
  'jürgen@bücher.example',
  '用户@例子.公司',
  'अजय@डाटा.भारत',
  'a@1und1.de',
  'a@xn--bcher-kva.example',
  `${'a'.repeat(64)}@example.org`,
])('accepts the email address %j', (email) => {
  expect(emailProblem(email)).toBeNull()
})

test.each([
  '@example.org',
  'a@',
  'a@localhost',
  'a@b@example.org',
  'a b@example.org',
  'a@[127.0.0.1]',
  'a@[IPv6:::1]',
  'a@127.0.0.1',
  'a@example.org>',
  'a@example.de,b.org',
  'a@example.org;b',
  'a@example_site.org',
  'a@example..org',
  'a@.example.org',
  'a@example.org.',
  'a@-example.org',
  'a@example-.org',
  'a@exam\u3002ple.org',
  'a\u202eb@example.org',
  'a@exa\u200bmple.org',
  'a\u00ad@example.org',
  'a\u3164@example.org',
  'a\ufe0f@example.org',
  'a\ufffd@example.org',
  'a\ud800@example.org',
  'a\0@example.org',
  'a@example.org\r\nBcc: b@example.org',
  `${'a'.repeat(65)}@example.org`,
  `a@${'b'.repeat(64)}.org`,
  `a@${'b.'.repeat(125)}org`,
])('rejects the email address %j', (email) => {
  expect(emailProblem(email)).toBe('Invalid email address')
})
