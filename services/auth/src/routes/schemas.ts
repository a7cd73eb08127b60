import { Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { User } from '../generated/client.ts'

const NullableText = Nullable(Type.String())

/** A user as the user's own browser sees it; never the password. */
export const UserBody = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  email: NullableText,
  firstName: NullableText,
  lastName: NullableText,
  isAdmin: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  publicByDefault: Type.Boolean(),
  emailNotifications: Type.Boolean(),
})

export function userBody(user: User): Type.Static<typeof UserBody> {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    isAdmin: user.isAdmin,
    createdAt: user.createdAt.toISOString(),
    publicByDefault: user.publicByDefault,
    emailNotifications: user.emailNotifications,
  }
}

// Missing fields are not the schema's business: each gets its own sentence from forms.ts.
export const RegisterRequest = Type.Object({
  username: Type.Optional(Type.String({ description: '3 to 64 characters, trimmed, unique regardless of case' })),
  password: Type.Optional(Type.String({ description: '6 to 256 characters' })),
  confirmPassword: Type.Optional(Type.String({ description: 'The password once more' })),
  email: Type.Optional(NullableText),
  firstName: Type.Optional(NullableText),
  lastName: Type.Optional(NullableText),
})

export const LoginRequest = Type.Object({
  username: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
})

export const LoginHeaders = Type.Object({
  'x-remember-me': Type.Optional(
    Type.String({ description: "'false': the cookie ends with the browser; otherwise it lasts 30 days of use" }),
  ),
})
