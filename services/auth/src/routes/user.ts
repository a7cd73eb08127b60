import { type App, errorResponses, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { ProfileForm, readPerson } from '../accounts/forms.ts'
import { changeSettings, readSettings, SettingsForm, UserSettings, updateProfile } from '../accounts/profile.ts'
import { type Account, readUser, withDeletion } from '../accounts/users.ts'
import type { AuthDeps } from '../deps.ts'
import { readStatistics } from '../usage/usage.ts'

const NullableText = Nullable(Type.String())

/** A user as the user's own browser gets it; never the password. */
export const UserBody = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  email: NullableText,
  emailConfirmed: Type.Boolean({ description: 'Mail with content goes only to a confirmed address' }),
  firstName: NullableText,
  lastName: NullableText,
  displayName: Nullable(Type.String({ description: 'What visitors of the public folders read as the photographer' })),
  isAdmin: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  publicByDefault: Type.Boolean(),
  emailNotifications: Type.Boolean(),
  deletesAt: Nullable(
    Type.String({ format: 'date-time', description: 'When the account is deleted; null unless that was requested' }),
  ),
  canRestore: Type.Boolean({ description: 'Whether the user may take the deletion back' }),
})

export function userBody({ deletion, ...user }: Account): Type.Static<typeof UserBody> {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    emailConfirmed: user.emailConfirmed,
    firstName: user.firstName,
    lastName: user.lastName,
    displayName: user.displayName,
    isAdmin: user.isAdmin,
    createdAt: user.createdAt.toISOString(),
    publicByDefault: user.publicByDefault,
    emailNotifications: user.emailNotifications,
    deletesAt: deletion?.deletesAt.toISOString() ?? null,
    canRestore: deletion !== null && !deletion.byAdmin && deletion.erasingSince === null,
  }
}

const Statistics = Type.Object({
  totalPhotos: Type.Integer({ description: 'Photos of the gallery' }),
  uniqueLocations: Type.Integer({ description: "Different 'city, state' of these" }),
  storageUsed: Type.Integer({ description: 'Bytes of all originals, those of the metadata screen included' }),
})

const GET_USER = { summary: 'Returns the signed-in user', response: { 200: UserBody, ...errorResponses } }
const PUT_USER = {
  summary: 'Changes the given fields of the user; null or an empty text removes a name or the address',
  body: ProfileForm,
  response: { 200: UserBody, ...errorResponses },
}
const GET_STATISTICS = {
  summary: "Returns the totals of the user's photos",
  response: { 200: Statistics, ...errorResponses },
}
const GET_SETTINGS = {
  summary: "Returns the user's settings, which all devices share",
  response: { 200: UserSettings, ...errorResponses },
}
const PUT_SETTINGS = {
  summary: 'Changes the given settings and returns all',
  body: SettingsForm,
  response: { 200: UserSettings, ...errorResponses },
}

const config = { access: 'user' } as const

/** The signed-in user, read from the database, so that changes by an administrator show at once. */
export function userRoutes(app: App, deps: AuthDeps): void {
  const { db } = deps
  app.get('/api/user', { config, schema: GET_USER }, async (request) =>
    userBody(await withDeletion(db, await readUser(db, requireUser(request).userId))),
  )
  app.put('/api/user', { config, schema: PUT_USER }, async (request) => {
    const user = await updateProfile(deps, requireUser(request).userId, readPerson(request.body))
    return userBody(await withDeletion(db, user))
  })
  app.get('/api/user/statistics', { config, schema: GET_STATISTICS }, async (request) =>
    readStatistics(db, requireUser(request).userId),
  )
  app.get('/api/user/settings', { config, schema: GET_SETTINGS }, async (request) =>
    readSettings(db, requireUser(request).userId),
  )
  app.put('/api/user/settings', { config, schema: PUT_SETTINGS }, async (request) =>
    changeSettings(db, requireUser(request).userId, request.body),
  )
}
