import { invalidFields } from '@skyfolio/kit'

/** What a client may send to register. All of it is optional here, so that every missing field gets its own sentence. */
export interface RegistrationForm {
  username?: string
  password?: string
  confirmPassword?: string
  email?: string | null
  firstName?: string | null
  lastName?: string | null
}

/** A registration that satisfies every rule; empty optional fields are null. */
export interface Registration {
  username: string
  password: string
  email: string | null
  firstName: string | null
  lastName: string | null
}

export const usernameLength = { min: 3, max: 64 }
export const passwordLength = { min: 6, max: 256 }
const nameLength = 100
const emailLength = 254
const emailPattern = /^[^\s@<>()[\]\\,;:"]+@[^\s@.]+(\.[^\s@.]+)+$/
const controlCharacters = /\p{Cc}/u
/** Invisible characters too: two names that look the same must not be two users. */
const unusableCharacters = /[\p{Cc}\p{Cf}\p{Cs}]/u

/**
 * Checks a registration form.
 * @throws 400 with one sentence for each field that breaks a rule.
 */
export function readRegistration(form: RegistrationForm): Registration {
  const registration = {
    username: (form.username ?? '').trim().normalize('NFC'),
    password: form.password ?? '',
    email: optional(form.email),
    firstName: optional(form.firstName),
    lastName: optional(form.lastName),
  }
  const problems = {
    username: usernameProblem(registration.username),
    email: emailProblem(registration.email),
    firstName: nameProblem(registration.firstName, 'First name'),
    lastName: nameProblem(registration.lastName, 'Last name'),
    password: passwordProblem(registration.password),
    confirmPassword: confirmationProblem(registration.password, form.confirmPassword ?? ''),
  }
  const fields = Object.entries(problems).filter((entry): entry is [string, string] => entry[1] !== null)
  if (fields.length > 0) throw invalidFields(Object.fromEntries(fields))
  return registration
}

export interface LoginForm {
  username?: string
  password?: string
}

/** @throws 400 with a sentence for each field that is missing. */
export function readCredentials(form: LoginForm): { username: string; password: string } {
  const { username = '', password = '' } = form
  const fields: Record<string, string> = {}
  if (username.trim() === '') fields.username = 'Username is required'
  if (password === '') fields.password = 'Password is required'
  if (Object.keys(fields).length > 0) throw invalidFields(fields)
  return { username, password }
}

function optional(value: string | null | undefined): string | null {
  return value?.trim() || null
}

function usernameProblem(username: string): string | null {
  const length = characters(username)
  if (length < usernameLength.min) return `Username must be at least ${usernameLength.min} characters`
  if (length > usernameLength.max) return `Username must be at most ${usernameLength.max} characters`
  return unusableCharacters.test(username) ? 'Username contains characters that cannot be used' : null
}

function emailProblem(email: string | null): string | null {
  if (email === null) return null
  const valid = email.length <= emailLength && emailPattern.test(email) && !controlCharacters.test(email)
  return valid ? null : 'Invalid email address'
}

function nameProblem(name: string | null, label: string): string | null {
  if (name === null) return null
  if (characters(name) > nameLength) return `${label} must be at most ${nameLength} characters`
  return controlCharacters.test(name) ? `${label} contains characters that cannot be used` : null
}

function passwordProblem(password: string): string | null {
  const length = characters(password)
  if (length < passwordLength.min) return `Password must be at least ${passwordLength.min} characters`
  return length > passwordLength.max ? `Password must be at most ${passwordLength.max} characters` : null
}

function confirmationProblem(password: string, confirmation: string): string | null {
  if (confirmation === '') return 'Please confirm your password'
  return confirmation === password ? null : 'Passwords do not match'
}

function characters(text: string): number {
  return [...text].length
}
