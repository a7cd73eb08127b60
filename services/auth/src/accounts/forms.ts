import { invalidFields, Nullable, oneLine } from '@skyfolio/kit'
import { normalizePassword } from '@skyfolio/kit/passwords'
import { Type } from 'typebox'
import { commonPasswordProblem } from './common-passwords.ts'
import {
  confirmationProblem,
  displayNameProblem,
  emailProblem,
  nameProblem,
  passwordProblem,
  rejectProblems,
  trimToNull,
  usernameProblem,
} from './user-fields.ts'

// The bodies of requests about an account, and what is read from them. Fields that are required are optional in the schemas,
// so that each missing one gets its own sentence. Each reader throws 400 with a sentence for each invalid field.

const Text = Type.Optional(Type.String())
const NullableText = Type.Optional(Nullable(Type.String()))
const NewPassword = Type.Optional(Type.String({ description: '6 to 256 characters, not a common password' }))
/** Without a token a link is one that is not valid. */
export const LinkToken = Type.Optional(Type.String({ description: 'From the link in the mail' }))
export const PasswordForm = Type.Object({ password: Text })

export const LoginForm = Type.Object({ username: Text, password: Text })
export type Credentials = Required<Type.Static<typeof LoginForm>>

export function readCredentials({ username = '', password = '' }: Type.Static<typeof LoginForm>): Credentials {
  const fields: Record<string, string> = {}
  if (username.trim() === '') fields.username = 'Username is required'
  if (password === '') fields.password = 'Password is required'
  if (Object.keys(fields).length > 0) throw invalidFields(fields)
  return { username, password }
}

export const RegistrationForm = Type.Object({
  username: Type.Optional(Type.String({ description: '3 to 64 characters, trimmed, unique regardless of case' })),
  password: Type.Optional(Type.String({ description: '6 to 256 characters' })),
  confirmPassword: Type.Optional(Type.String({ description: 'The password again' })),
  email: NullableText,
  firstName: NullableText,
  lastName: NullableText,
})

/** A valid registration; empty optional fields are null. */
export type Registration = ReturnType<typeof readRegistration>

export function readRegistration(form: Type.Static<typeof RegistrationForm>) {
  const registration = {
    username: (form.username ?? '').trim().normalize('NFC'),
    password: normalizePassword(form.password ?? ''),
    email: trimToNull(form.email),
    firstName: trimToNull(form.firstName),
    lastName: trimToNull(form.lastName),
  }
  rejectProblems({
    username: usernameProblem(registration.username),
    ...problemsOf(registration),
    password:
      passwordProblem(registration.password) ?? commonPasswordProblem(registration.password, registration.username),
    confirmPassword: confirmationProblem(registration.password, form.confirmPassword ?? ''),
  })
  return registration
}

const PERSON = { firstName: NullableText, lastName: NullableText, email: NullableText }

/** Unknown fields are rejected: what cannot be changed here must not seem to be. Absent ones stay as they are. */
export const ProfileForm = Type.Object(
  {
    ...PERSON,
    displayName: Type.Optional(
      Nullable(Type.String({ description: 'The photographer in public folders; up to 80 characters' })),
    ),
    publicByDefault: Type.Optional(Type.Boolean()),
    emailNotifications: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
/** A valid change; empty texts are null. */
export type ProfileChanges = Type.Static<typeof ProfileForm>

/** The change of a user by an administrator. */
export const UserForm = Type.Object(
  {
    ...PERSON,
    isAdmin: Type.Optional(Type.Boolean()),
    disabled: Type.Optional(Type.Boolean()),
    quota: Type.Optional(
      Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes' })),
    ),
  },
  { additionalProperties: false },
)
/** A valid change; empty texts are null. */
export interface UserChanges extends Omit<Type.Static<typeof UserForm>, 'quota'> {
  /** Bytes; null: the installation's default. */
  quota?: bigint | null
}

export function readUserChanges({ quota, ...form }: Type.Static<typeof UserForm>): UserChanges {
  return { ...(quota !== undefined && { quota: quota === null ? null : BigInt(quota) }), ...readPerson(form) }
}

interface Person {
  firstName?: string | null
  lastName?: string | null
  displayName?: string | null
  email?: string | null
}

/** A form with its texts as they are stored: always in this order, in which the audit log names them. */
export function readPerson<Form extends Person>(form: Form): Form {
  const { firstName, lastName, displayName, email } = form
  const texts = {
    ...(firstName !== undefined && { firstName: trimToNull(firstName) }),
    ...(lastName !== undefined && { lastName: trimToNull(lastName) }),
    ...(displayName !== undefined && { displayName: oneLine(displayName ?? '') || null }),
    ...(email !== undefined && { email: trimToNull(email) }),
  }
  rejectProblems(problemsOf(texts))
  return { ...texts, ...form, ...texts }
}

function problemsOf(person: Person): Record<string, string | null> {
  const { firstName = null, lastName = null, displayName = null, email = null } = person
  return {
    email: emailProblem(email),
    firstName: nameProblem(firstName, 'First name'),
    lastName: nameProblem(lastName, 'Last name'),
    displayName: displayNameProblem(displayName),
  }
}

export const PasswordChangeForm = Type.Object({
  currentPassword: Text,
  newPassword: NewPassword,
  confirmPassword: Type.Optional(Type.String({ description: 'The new password again' })),
})
export type PasswordChange = ReturnType<typeof readPasswordChange>

export function readPasswordChange(form: Type.Static<typeof PasswordChangeForm>, username: string) {
  const { currentPassword = '', confirmPassword = '' } = form
  const newPassword = normalizePassword(form.newPassword ?? '')
  rejectProblems({
    currentPassword: currentPassword === '' ? 'Current password is required' : null,
    newPassword: passwordProblem(newPassword) ?? commonPasswordProblem(newPassword, username),
    confirmPassword: confirmationProblem(newPassword, confirmPassword),
  })
  return { currentPassword, newPassword }
}

export const PasswordResetForm = Type.Object({
  token: LinkToken,
  password: NewPassword,
  confirmPassword: Type.Optional(Type.String({ description: 'The password again' })),
})
export type PasswordReset = ReturnType<typeof readPasswordReset>

/** Whether the password resembles the username is checked later: the token says whose it is. */
export function readPasswordReset(form: Type.Static<typeof PasswordResetForm>) {
  const { token = '', confirmPassword = '' } = form
  const password = normalizePassword(form.password ?? '')
  rejectProblems({
    password: passwordProblem(password) ?? commonPasswordProblem(password, ''),
    confirmPassword: confirmationProblem(password, confirmPassword),
  })
  return { token, password }
}

export const ResetRequestForm = Type.Object({ email: NullableText })

/** The address of a requested reset. */
export function readResetAddress({ email }: Type.Static<typeof ResetRequestForm>): string {
  const address = email?.trim() ?? ''
  rejectProblems({ email: address === '' ? 'Email is required' : emailProblem(address) })
  return address
}
