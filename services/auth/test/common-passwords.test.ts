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
  // In the list in lower case, as compatibility characters.
  'PassWord',
  'ｐａｓｓｗｏｒｄ',
])('rejects %j, which is in the list', (password) => {
  expect(commonPasswordProblem(password, 'amelia')).toBe(SENTENCE)
})

test.each([
  PASSWORD,
  'over-the-lake',
  'a long enough password',
  'a password',
  // Parts of the list, but no password in it.
  'password","1234',
  '","',
  'sswor',
  '"password"',
  'password\\',
  '\0password',
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
