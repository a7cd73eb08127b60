import { type App, errorResponses, expiredSessionCookie, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { PasswordForm } from '../accounts/forms.ts'
import {
  requestOwnDeletion,
  requestUsersDeletion,
  restoreOwnAccount,
  restoreUsersAccount,
} from '../deletion/deletions.ts'
import { type ListedDeletion, listDeletions } from '../deletion/erasure-progress.ts'
import type { AuthDeps } from '../deps.ts'
import { recentPassword } from '../sessions/session-guards.ts'
import { setSessionCookie } from './session-cookies.ts'

const Time = Type.String({ format: 'date-time' })
const Scheduled = Type.Object({ deletesAt: Time })
const Params = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) })

const Deletion = Type.Object({
  userId: Type.Integer(),
  username: Nullable(Type.String()),
  requestedAt: Time,
  deletesAt: Time,
  byAdmin: Type.Boolean({ description: 'Requested by an administrator, so that only administrators can take it back' }),
  status: Type.Union([Type.Literal('requested'), Type.Literal('erasing')]),
  erasingSince: Nullable(Time),
  services: Type.Array(
    Type.Object({
      service: Type.Union([Type.Literal('folders'), Type.Literal('media'), Type.Literal('print-orders')]),
      complete: Type.Boolean(),
      waitsFor: Type.String({ description: 'Why it is not complete yet; empty while it proceeds' }),
      changedAt: Nullable(Time),
    }),
  ),
})

const DELETE_OWN_ACCOUNT = {
  summary:
    'Requests the deletion of the account and ends all its sessions; it can be taken back until it is carried out',
  body: PasswordForm,
  response: { 202: Scheduled, ...errorResponses },
}
const RESTORE_OWN_ACCOUNT = {
  summary: 'Takes the requested deletion of the account back',
  response: { 204: Type.Null(), ...errorResponses },
}
const DELETE_ACCOUNT = {
  summary: "Requests the deletion of a user's account; a repeated request gets the same answer",
  params: Params,
  response: { 202: Scheduled, ...errorResponses },
}
const RESTORE_ACCOUNT = {
  summary: "Takes the requested deletion of a user's account back",
  params: Params,
  response: { 204: Type.Null(), ...errorResponses },
}
const LIST_DELETIONS = {
  summary: 'Lists the deletions of accounts that are not complete, newest first, and how far each service is',
  response: { 200: Type.Array(Deletion), ...errorResponses },
}

const user = { access: 'user' } as const
const admin = { access: 'admin' } as const

/** Deletion of accounts, by their users and by administrators. */
export function deletionRoutes(app: App, deps: AuthDeps): void {
  const change = { config: admin, preHandler: recentPassword(deps.sessions) }

  app.delete('/api/user', { config: user, schema: DELETE_OWN_ACCOUNT }, async (request, reply) => {
    const deletesAt = await requestOwnDeletion(deps, requireUser(request), request.body.password ?? '')
    reply.header('set-cookie', expiredSessionCookie({ secure: deps.secureCookies })).code(202)
    return { deletesAt: deletesAt.toISOString() }
  })

  app.post('/api/user/restore', { config: user, schema: RESTORE_OWN_ACCOUNT }, async (request, reply) => {
    const session = await restoreOwnAccount(deps, requireUser(request))
    if (session) setSessionCookie(deps, session, reply)
    return reply.code(204).send(null)
  })

  app.delete('/api/admin/users/:id', { ...change, schema: DELETE_ACCOUNT }, async (request, reply) => {
    const deletesAt = await requestUsersDeletion(deps, requireUser(request).userId, request.params.id)
    reply.code(202)
    return { deletesAt: deletesAt.toISOString() }
  })

  app.post('/api/admin/users/:id/restore', { ...change, schema: RESTORE_ACCOUNT }, async (request, reply) => {
    await restoreUsersAccount(deps, requireUser(request).userId, request.params.id)
    return reply.code(204).send(null)
  })

  app.get('/api/admin/deletions', { config: admin, schema: LIST_DELETIONS }, async () =>
    (await listDeletions(deps.db)).map(deletionBody),
  )
}

function deletionBody({ services, ...deletion }: ListedDeletion): Type.Static<typeof Deletion> {
  const { requestedAt, deletesAt, erasingSince } = deletion
  return {
    ...deletion,
    requestedAt: requestedAt.toISOString(),
    deletesAt: deletesAt.toISOString(),
    status: erasingSince === null ? 'requested' : 'erasing',
    erasingSince: erasingSince?.toISOString() ?? null,
    services: services.map(({ changedAt, ...service }) => ({
      ...service,
      changedAt: changedAt?.toISOString() ?? null,
    })),
  }
}
