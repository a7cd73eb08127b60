import { type App, requireUser } from '@skyfolio/kit'
import type { Accounts } from '../accounts/accounts.ts'
import { readProfile } from '../accounts/profile-form.ts'
import type { Profiles } from '../accounts/profiles.ts'
import { changeSettings, readSettings } from '../accounts/user-settings.ts'
import type { Database } from '../database.ts'
import { withDeletion } from '../deletion/account.ts'
import { readStatistics } from '../usage/usage.ts'
import { GET_SETTINGS, GET_STATISTICS, PUT_SETTINGS, PUT_USER } from './account-schemas.ts'
import { GET_USER, userBody } from './schemas.ts'

export interface UserRouteDeps {
  db: Database
  accounts: Accounts
  profiles: Profiles
}

const config = { access: 'user' } as const

/** The signed-in user, read from the database, so that changes by an administrator show at once. */
export function userRoutes(app: App, { db, accounts, profiles }: UserRouteDeps): void {
  app.get('/api/user', { config, schema: GET_USER }, async (request) =>
    userBody(await accounts.get(requireUser(request).userId)),
  )
  app.put('/api/user', { config, schema: PUT_USER }, async (request) =>
    userBody(await withDeletion(db, await profiles.update(requireUser(request).userId, readProfile(request.body)))),
  )
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
