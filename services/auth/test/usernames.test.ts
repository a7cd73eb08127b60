import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usernameProblem } from '../src/accounts/user-fields.ts'
import { usernameSkeletons } from '../src/accounts/usernames.ts'
import { form, PASSWORD, startAuth, type TestAuth } from './support.ts'

/* Two names that look the same are not two users. */

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

const register = (username: string) => auth.post('/api/register', form(username))
const ALIKE = 'Username looks like an existing one. Please choose another one.'

const CODE_POINTS = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(
  (codePoint) => codePoint < 0xd800 || codePoint > 0xdfff,
)

test('no character that Unicode lets programs ignore, and none that is unassigned or private, is in a username', () => {
  const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cn}\p{Co}]/u
  const accepted = CODE_POINTS.map((codePoint) => String.fromCodePoint(codePoint))
    .filter((character) => unseen.test(character))
    .filter((character) => usernameProblem(`vic${character}tim`) === null)
  expect(accepted).toEqual([])
})

test.each([
  ['a variation selector', 'victim\ufe0f'],
  ['a Hangul filler', 'victim\u3164'],
  ['a half-width Hangul filler', 'vic\uffa0tim'],
  ['a Hangul choseong filler', 'vic\u115ftim'],
  ['a Braille blank', 'vic\u2800tim'],
  ['a combining grapheme joiner', 'vic\u034ftim'],
  ['a tag character', 'victim\u{e0061}'],
  ['a soft hyphen', 'vic\u00adtim'],
  ['a right-to-left override', 'vic\u202etim'],
  ['a zero-width joiner', 'vic\u200dtim'],
  ['an object replacement', 'vic\ufffctim'],
  ['a blank note head', 'victim\u{1d159}'],
  ['a line separator', 'vic\u2028tim'],
  ['a lone surrogate', 'vic\ud800tim'],
  ['many accents on one letter', 'victi\u0300\u0301\u0302\u0303\u0304m'],
  ['an accent that hides another one', 'victim\u0301\u0301'],
  ['an accent without a letter', 'vic \u0301tim'],
])('%s is not in a username', async (_, username) => {
  const response = await register(username)
  const sentence = 'Username contains characters that cannot be used, such as invisible ones or too many accents'
  expect([response.statusCode, response.json().fields]).toEqual([400, { username: sentence }])
})

test.each([
  '日本語',
  'Ελένη',
  'Владимир',
  'José',
  'Zoë',
  'Đặng Thị',
  'עמית',
  'مُحَمَّد',
  'नमस्ते',
  'தமிழ்',
  'ที่นี่',
  '박지민',
  'O’Neil 2',
  '🎉 party',
])('an honest name stays possible, and its user signs in: %s', async (username) => {
  expect((await register(username)).statusCode).toBe(201)
  expect((await auth.post('/api/login', { username, password: PASSWORD })).statusCode).toBe(200)
})

describe('a name that looks like that of another user is taken', () => {
  test.each([
    ['victim', 'vіctim', 'a Cyrillic letter'],
    ['coco', 'сосо', 'Cyrillic letters alone'],
    ['Tina', 'Τina', 'a Greek capital'],
    ['BOB', 'ΒΟΒ', 'Greek capitals alone'],
    ['istanbul', 'i\u0307stanbul', 'a second dot'],
    ['pilot', 'pılot', 'a letter without its dot'],
    ['Illinois', 'lllinois', 'a small letter in place of a capital'],
    ['ian', 'Ιan', 'a Greek capital in place of a small letter'],
    ['anna0', 'annaO', 'a letter in place of a digit'],
    ['strasse', 'Straße', 'a letter that stands for two'],
    ['john smith', 'john  smith', 'two spaces'],
    ['jean-luc', 'jean‐luc', 'another hyphen'],
    ['מור12', '12מור', 'a number before a word that is read from the right'],
    ['ロボト', '口ボト', 'an ideograph that looks like a letter'],
  ])('%s: %s (%s)', async (username, lookalike) => {
    expect((await register(username)).statusCode).toBe(201)
    const response = await register(lookalike)
    expect([response.statusCode, response.json()]).toEqual([
      409,
      { code: 'username_taken', message: ALIKE, fields: { username: ALIKE } },
    ])
  })

  test('also when both register at the same time', async () => {
    const responses = await Promise.all(['racer', 'rаcer', 'racеr', 'гacer'.replace('г', 'r')].map(register))
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409, 409])
  })
})

test('other names are not alike', () => {
  const names = [
    'ian',
    'jan',
    'jane',
    'José',
    'Jose',
    'דוד כהן',
    'כהן דוד',
    'user1',
    'user2',
    'kai',
    'kal',
    'anna',
    'a nna',
  ]
  const all = names.flatMap(usernameSkeletons)
  expect(new Set(all).size).toBe(all.length)
})
