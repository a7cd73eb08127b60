import { errorResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'

// All fields are optional here: the readers of the forms give each missing one its own sentence.
const PasswordBody = Type.Object({
  currentPassword: Type.Optional(Type.String()),
  newPassword: Type.Optional(Type.String({ description: '6 to 256 characters, not a common password' })),
  confirmPassword: Type.Optional(Type.String({ description: 'The new password again' })),
})
const ResetRequestBody = Type.Object({ email: Type.Optional(Nullable(Type.String())) })
const ResetBody = Type.Object({
  token: Type.Optional(Type.String({ description: 'From the link in the mail' })),
  password: Type.Optional(Type.String({ description: '6 to 256 characters, not a common password' })),
  confirmPassword: Type.Optional(Type.String({ description: 'The password again' })),
})

export const CHANGE_PASSWORD = {
  summary: "Changes the password, ends the user's sessions and sets the cookie of a new one",
  body: PasswordBody,
  response: { 204: Type.Null(), ...errorResponses },
}
export const CONFIRM_PASSWORD = {
  summary:
    'Notes that the password was entered: for 15 minutes the session may change users, if it is of an administrator',
  body: Type.Object({ password: Type.Optional(Type.String()) }),
  response: { 204: Type.Null(), ...errorResponses },
}
export const REQUEST_RESET = {
  summary:
    'Sends a link for a new password to each account with this confirmed address; the response is always the same',
  body: ResetRequestBody,
  response: { 202: Type.Object({}), ...errorResponses },
}
export const RESET_PASSWORD = {
  summary: 'Sets a new password with the token of such a link and ends all sessions of the user',
  body: ResetBody,
  response: { 204: Type.Null(), ...errorResponses },
}
