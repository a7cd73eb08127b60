import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { toUsernameKey } from './username-key.ts'

const TOO_COMMON = 'This password is too common. Please choose another one.'
/** How many digits and punctuation marks around a username do not make it a password. */
const MAX_ADDED_CHARACTERS = 6
const NO_LETTERS_AROUND = /^[^\p{L}]+|[^\p{L}]+$/gu

/**
 * The package's list of 49,000 passwords in lower case: a JSON array. It stays the bytes of its file and is searched from
 * start to end, which takes 0.1 ms beside the 12 ms of a hash. As a Set it would take 18 MB instead of 4.
 */
const LIST = readFileSync(fileURLToPath(import.meta.resolve('@zxcvbn-ts/language-common/src/passwords.json')))

/** Returns the sentence for a password that everybody guesses, or null. */
export function commonPasswordProblem(password: string, username: string): string | null {
  return isCommon(password) || isLikeUsername(password, username) ? TOO_COMMON : null
}

function isCommon(password: string): boolean {
  // With its quotation marks: only a whole item of the array matches.
  return LIST.includes(JSON.stringify(password.normalize('NFKC').toLowerCase()))
}

/** Whether the password is the username: as it is, backwards, twice, or with some digits and punctuation marks around it. */
function isLikeUsername(password: string, username: string): boolean {
  const name = toUsernameKey(username)
  const key = toUsernameKey(password)
  if ([name, name + name, [...name].reverse().join('')].includes(key)) return true
  const letters = name.replace(NO_LETTERS_AROUND, '')
  if (letters === '' || key.length > name.length + MAX_ADDED_CHARACTERS) return false
  return key.replace(NO_LETTERS_AROUND, '') === letters
}
