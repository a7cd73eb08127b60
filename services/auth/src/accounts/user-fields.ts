import { invalidFields } from '@skyfolio/kit'
import { normalizePassword } from '@skyfolio/kit/passwords'

// The rules of a user's fields. Each function returns the sentence for the user, or null if the value is valid.

const USERNAME_LENGTH = { min: 3, max: 64 }
const PASSWORD_LENGTH = { min: 6, max: 256 }
const MAX_NAME_LENGTH = 100
/** As in the CHECK of the table. */
const MAX_DISPLAY_NAME_LENGTH = 80
const MAX_EMAIL_LENGTH = 254
/** Before the @: no quoted text, and nothing that delimits addresses. */
const EMAIL_LOCAL_PART = /^[^\s@<>()[\]\\,;:"]{1,64}$/u
/** A part of a domain between dots, of any script: no address of a host in brackets. */
const DOMAIN_LABEL = /^[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u
/** What cannot be seen, turns the text around it, or stands for a character that was lost. */
const EMAIL_UNUSABLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u
const CONTROL_CHARACTER = /\p{Cc}/u
/**
 * In usernames, since two that look the same must not be two users: what cannot be seen, is blank, turns the text around it, has no
 * meaning yet or only a private one, or stands for a character that was lost.
 */
const UNUSABLE_CHARACTER =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\ufffd\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u
/** A mark without a letter, more than four on one letter, or one that hides another one, as in UTS 39. */
const UNUSABLE_MARKS = /(^|\s)\p{M}|[\p{Mn}\p{Me}]{5}|(\p{Mn})\2/u

export function usernameProblem(username: string): string | null {
  const length = codePoints(username)
  if (length < USERNAME_LENGTH.min) return `Username must be at least ${USERNAME_LENGTH.min} characters`
  if (length > USERNAME_LENGTH.max) return `Username must be at most ${USERNAME_LENGTH.max} characters`
  const isUnusable = UNUSABLE_CHARACTER.test(username) || UNUSABLE_MARKS.test(username.normalize('NFD'))
  return isUnusable
    ? 'Username contains characters that cannot be used, such as invisible ones or too many accents'
    : null
}

export function emailProblem(email: string | null): string | null {
  if (email === null) return null
  const isValid = email.length <= MAX_EMAIL_LENGTH && !EMAIL_UNUSABLE.test(email) && isEmail(email)
  return isValid ? null : 'Invalid email address'
}

function isEmail(email: string): boolean {
  const [localPart = '', domain = '', ...rest] = email.split('@')
  if (rest.length > 0 || !EMAIL_LOCAL_PART.test(localPart)) return false
  const labels = domain.split('.')
  // Numbers alone are the address of a host.
  return labels.length >= 2 && labels.every((label) => DOMAIN_LABEL.test(label)) && /\p{L}/u.test(labels.at(-1) ?? '')
}

export function nameProblem(name: string | null, label: string): string | null {
  if (name === null) return null
  if (codePoints(name) > MAX_NAME_LENGTH) return `${label} must be at most ${MAX_NAME_LENGTH} characters`
  return CONTROL_CHARACTER.test(name) ? `${label} contains characters that cannot be used` : null
}

/** Of a text in one displayable line. */
export function displayNameProblem(name: string | null): string | null {
  if (name === null || codePoints(name) <= MAX_DISPLAY_NAME_LENGTH) return null
  return `Display name must be at most ${MAX_DISPLAY_NAME_LENGTH} characters`
}

/** Of a normalized password. */
export function passwordProblem(password: string): string | null {
  const length = codePoints(password)
  if (length < PASSWORD_LENGTH.min) return `Password must be at least ${PASSWORD_LENGTH.min} characters`
  return length > PASSWORD_LENGTH.max ? `Password must be at most ${PASSWORD_LENGTH.max} characters` : null
}

/** Of a normalized password and what was entered to confirm it. */
export function confirmationProblem(password: string, confirmation: string): string | null {
  if (confirmation === '') return 'Please confirm your password'
  return normalizePassword(confirmation) === password ? null : 'Passwords do not match'
}

/** A text that was entered into a field, null for an empty one. */
export function trimToNull(value: string | null | undefined): string | null {
  return value?.trim() || null
}

/** @throws 400 with the sentence of each field that has a problem */
export function rejectProblems(problems: Record<string, string | null>): void {
  const fields = Object.entries(problems).filter((entry): entry is [string, string] => entry[1] !== null)
  if (fields.length > 0) throw invalidFields(Object.fromEntries(fields))
}

function codePoints(text: string): number {
  return [...text].length
}
