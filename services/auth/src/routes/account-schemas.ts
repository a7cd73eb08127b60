import { errorResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import { UserBody } from './schemas.ts'

const NullableText = Nullable(Type.String())

/** Unknown fields are rejected: what cannot be changed here must not seem to be. */
const ProfileBody = Type.Object(
  {
    firstName: Type.Optional(NullableText),
    lastName: Type.Optional(NullableText),
    email: Type.Optional(NullableText),
    publicByDefault: Type.Optional(Type.Boolean()),
    emailNotifications: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const SETTINGS = {
  units: Type.Union([Type.Literal('metric'), Type.Literal('imperial')]),
  sort: Type.Union([
    Type.Literal('newest'),
    Type.Literal('oldest'),
    Type.Literal('taken-newest'),
    Type.Literal('taken-oldest'),
  ]),
  view: Type.Union([Type.Literal('grid'), Type.Literal('list')]),
}
const SettingsBody = Type.Object(SETTINGS)
const SettingsChange = Type.Partial(Type.Object(SETTINGS), { additionalProperties: false })

const Statistics = Type.Object({
  totalPhotos: Type.Integer({ description: 'Photos of the gallery' }),
  uniqueLocations: Type.Integer({ description: "Different 'city, state' of these" }),
  storageUsed: Type.Integer({ description: 'Bytes of all originals, those of the metadata screen included' }),
})

// Optional, since a link without a token is one that is not valid.
const Token = Type.Optional(Type.String({ description: 'From the link in the mail' }))

export const PUT_USER = {
  summary: 'Changes the given fields of the user; null or an empty text removes a name or the address',
  body: ProfileBody,
  response: { 200: UserBody, ...errorResponses },
}
export const GET_STATISTICS = {
  summary: "Returns the totals of the user's photos",
  response: { 200: Statistics, ...errorResponses },
}
export const GET_SETTINGS = {
  summary: "Returns the user's settings, which all devices share",
  response: { 200: SettingsBody, ...errorResponses },
}
export const PUT_SETTINGS = {
  summary: 'Changes the given settings and returns all',
  body: SettingsChange,
  response: { 200: SettingsBody, ...errorResponses },
}
export const SEND_CONFIRMATION = {
  summary: "Sends the mail that confirms the user's address again",
  response: { 202: Type.Object({}), ...errorResponses },
}
export const CONFIRM_EMAIL = {
  summary: 'Confirms an address; one that was changed after the registration also needs the password',
  body: Type.Object({ token: Token, password: Type.Optional(Type.String()) }),
  response: { 204: Type.Null(), ...errorResponses },
}
export const REVERT_EMAIL = {
  summary: "Takes a change of the address back and ends the user's other sessions",
  body: Type.Object({ token: Token }),
  response: { 204: Type.Null(), ...errorResponses },
}
