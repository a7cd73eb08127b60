import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const TOO_COMMON = 'This password is too common. Please choose another one.'
const PRODUCT = 'skyfolio'
/** How many digits and punctuation marks around a common password or a name do not make it a password. */
const MAX_ADDED_CHARACTERS = 6
const NO_LETTERS_AROUND = /^[^\p{L}]+|[^\p{L}]+$/gu
/** Diacritics, spaces and what cannot be seen. */
const INSIGNIFICANT = /[\p{M}\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/gu
const ONE_CHARACTER = /^(.?)\1*$/su

/**
 * The package's list of 49,000 passwords in lower case: a JSON array. It stays the bytes of its file and is searched from
 * start to end, which takes 0.1 ms beside the 12 ms of a hash. As a Set it would take 18 MB instead of 4.
 */
const LIST = readFileSync(fileURLToPath(import.meta.resolve('@zxcvbn-ts/language-common/src/passwords.json')))

/** Returns the sentence for a password that everybody guesses, or null. */
export function commonPasswordProblem(password: string, username: string): string | null {
  const isProblem = isCommon(password) || isLikeName(password, PRODUCT) || isLikeName(password, username)
  return isProblem ? TOO_COMMON : null
}

function isCommon(password: string): boolean {
  const text = simplify(password)
  return ONE_CHARACTER.test(text) || [password.normalize('NFKC').toLowerCase(), text, bare(text)].some(isListed)
}

function isListed(text: string): boolean {
  // With its quotation marks: only a whole item of the array matches.
  return text !== '' && LIST.includes(JSON.stringify(text))
}

/** Whether the password is the name, as it is, backwards or twice, also with some digits and punctuation marks around it. */
function isLikeName(password: string, name: string): boolean {
  const text = simplify(password)
  return [simplify(name), bare(simplify(name))].some((form) => {
    if (form === '') return false
    const forms = [form, [...form].reverse().join(''), form + form]
    return forms.includes(text) || forms.includes(bare(text))
  })
}

/** The letters and what is between them, unless so much is around them that it may be the password. */
function bare(text: string): string {
  const letters = text.replace(NO_LETTERS_AROUND, '')
  return letters !== '' && text.length - letters.length <= MAX_ADDED_CHARACTERS ? letters : text
}

/** Without what people hardly notice: case, compatibility forms, diacritics, spaces, invisible characters. */
function simplify(text: string): string {
  return text.normalize('NFKD').replaceAll(INSIGNIFICANT, '').normalize('NFKC').toLowerCase()
}
