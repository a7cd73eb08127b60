import { expect, test } from 'vitest'
import { commonPasswordProblem } from '../src/accounts/common-passwords.ts'
import { PASSWORD } from './support.ts'

const SENTENCE = 'This password is too common. Please choose another one.'

test.each([
  '123456',
  'password',
  'qwertyuiop',
  'letmein',
  'xpcrew',
  // In the list in lower case, without what surrounds it or can hardly be seen.
  'PassWord',
  'ｐａｓｓｗｏｒｄ',
  ' password ',
  'pass word',
  'passw\u200bord\u3164',
  '\0password',
  'passwórd',
  'password1!',
  '"password"',
  '123123 ',
])('rejects %j, which is in the list', (password) => {
  expect(commonPasswordProblem(password, 'amelia')).toBe(SENTENCE)
})

test.each(['aaaaaa', 'ÀÁâãaa', '!!!!!!!!', '飛飛飛飛飛飛', '      ', '\u200b\u2060\u00ad\u3164\u2800\u034f'])(
  'rejects %j, which is one character or none',
  (password) => {
    expect(commonPasswordProblem(password, 'amelia')).toBe(SENTENCE)
  },
)

test.each(['skyfolio', 'Skyfolio1', 'SkyFolio-2026', 'oilofyks', 'skyfolioskyfolio'])(
  'rejects %j, the name of the product',
  (password) => {
    expect(commonPasswordProblem(password, 'amelia')).toBe(SENTENCE)
  },
)

test.each([
  PASSWORD,
  'over-the-lake',
  'a long enough password',
  'a password',
  // Parts of the list, but no password in it.
  'password","1234',
  // Much around a common word.
  'love83745928374592',
  'skyfolio over the lake',
  '","',
  'sswor',
])('accepts %j', (password) => {
  expect(commonPasswordProblem(password, 'amelia')).toBe(null)
})

test.each([
  ['Amelia', 'amelia'],
  ['Amelia', 'AMELIA'],
  ['Amelia', ' amelia '],
  ['Amelia', 'ailema'],
  ['Amelia', 'ameliaAmelia'],
  ['Amelia', 'amelia1987'],
  ['Amelia', '!!amelia!!'],
  ['amelia-87', 'amelia123'],
  ['amelia-87', '78-ailema'],
  ['Amelia', 'ailema1987'],
  ['Amélia', 'a m e l i a'],
  ['飛行士操縦士', '飛行士操縦士1'],
  ['4815162342', '4815162342'],
])('rejects the username %j with the password %j', (username, password) => {
  expect(commonPasswordProblem(password, username)).toBe(SENTENCE)
})

test.each([
  ['Amelia', 'amelia over the lake'],
  ['Amelia', 'amelia4815162342108'],
  ['4815162342', '48151623421'],
  ['amy', 'amylase-73'],
])('accepts the username %j with the password %j', (username, password) => {
  expect(commonPasswordProblem(password, username)).toBe(null)
})
