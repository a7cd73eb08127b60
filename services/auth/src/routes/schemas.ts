import { errorResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import { type Account, canRestore } from '../deletion/account.ts'

const NullableText = Nullable(Type.String())

/** A user as the user's own browser gets it; never the password. */
export const UserBody = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  email: NullableText,
  emailConfirmed: Type.Boolean({ description: 'Mail with content goes only to a confirmed address' }),
  firstName: NullableText,
  lastName: NullableText,
  isAdmin: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  publicByDefault: Type.Boolean(),
  emailNotifications: Type.Boolean(),
  deletesAt: Nullable(
    Type.String({ format: 'date-time', description: 'When the account is deleted; null unless that was requested' }),
  ),
  canRestore: Type.Boolean({ description: 'Whether the user may take the deletion back' }),
})

export function userBody(user: Account): Type.Static<typeof UserBody> {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    emailConfirmed: user.emailConfirmed,
    firstName: user.firstName,
    lastName: user.lastName,
    isAdmin: user.isAdmin,
    createdAt: user.createdAt.toISOString(),
    publicByDefault: user.publicByDefault,
    emailNotifications: user.emailNotifications,
    deletesAt: user.deletion?.deletesAt.toISOString() ?? null,
    canRestore: user.deletion !== null && canRestore(user.deletion),
  }
}

// All fields are optional here: `readRegistration` and `readCredentials` give each missing one its own sentence.
const RegistrationBody = Type.Object({
  username: Type.Optional(Type.String({ description: '3 to 64 characters, trimmed, unique regardless of case' })),
  password: Type.Optional(Type.String({ description: '6 to 256 characters' })),
  confirmPassword: Type.Optional(Type.String({ description: 'The password again' })),
  email: Type.Optional(NullableText),
  firstName: Type.Optional(NullableText),
  lastName: Type.Optional(NullableText),
})

const LoginBody = Type.Object({
  username: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
})

const LoginHeaders = Type.Object({
  'x-remember-me': Type.Optional(
    Type.String({
      description: "'false': a cookie for the browser session; otherwise it lasts for 30 days of inactivity",
    }),
  ),
})

export const REGISTER = {
  summary: 'Registers a user and signs in',
  body: RegistrationBody,
  response: { 201: UserBody, ...errorResponses },
}
export const LOGIN = {
  summary: 'Signs in',
  headers: LoginHeaders,
  body: LoginBody,
  response: { 200: UserBody, ...errorResponses },
}
export const LOGOUT = { summary: 'Signs out', response: { 200: Type.Object({}), ...errorResponses } }
export const GET_USER = { summary: 'Returns the signed-in user', response: { 200: UserBody, ...errorResponses } }
