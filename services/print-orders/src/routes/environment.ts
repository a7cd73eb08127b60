import { type App, errorResponses, type Logger, requireRecentPassword, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import { describeEnvironment, readEnvironment, switchEnvironment } from '../environment/environment.ts'
import type { Partner } from '../partner/partner.ts'

export interface EnvironmentRouteDeps {
  db: Database
  partner: Partner
  logger: Logger
  /** Publishes the events of a commit. */
  onCommit(): void
}

const EnvironmentName = Type.Union([Type.Literal('sandbox'), Type.Literal('production')], {
  'x-message': "The environment is 'sandbox' or 'production'.",
})

const EnvironmentBody = Type.Object({
  environment: EnvironmentName,
  baseUrl: Type.String({ description: "Address of the partner's API; empty where none is configured" }),
})

const GET_ENVIRONMENT = {
  summary: "Returns the partner's environment",
  response: { 200: EnvironmentBody, ...errorResponses },
}

/** The partner's environment, which administrators choose. */
export function environmentRoutes(app: App, deps: EnvironmentRouteDeps): void {
  const { db, partner } = deps

  app.get('/api/admin/environment', { config: { access: 'admin' }, schema: GET_ENVIRONMENT }, async () =>
    describeEnvironment(partner, await readEnvironment(db)),
  )

  app.post(
    '/api/admin/environment',
    {
      config: { access: 'admin' },
      schema: {
        summary: "Chooses the partner's environment for all further orders",
        body: Type.Object({ environment: EnvironmentName }, { additionalProperties: false }),
        response: { 200: EnvironmentBody, ...errorResponses },
      },
    },
    async (request) => {
      requireRecentPassword(request.identity)
      const { userId } = requireUser(request)
      return switchEnvironment(deps, { environment: request.body.environment, userId })
    },
  )
}
