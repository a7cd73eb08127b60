import { errorResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { ListedDeletion } from '../deletion/list-deletions.ts'

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

export function deletionBody(deletion: ListedDeletion): Type.Static<typeof Deletion> {
  const { userId, username, byAdmin, erasingSince } = deletion
  return {
    userId,
    username,
    requestedAt: deletion.requestedAt.toISOString(),
    deletesAt: deletion.deletesAt.toISOString(),
    byAdmin,
    status: erasingSince === null ? 'requested' : 'erasing',
    erasingSince: erasingSince?.toISOString() ?? null,
    services: deletion.services.map(({ changedAt, ...service }) => ({
      ...service,
      changedAt: changedAt?.toISOString() ?? null,
    })),
  }
}

export const DELETE_OWN_ACCOUNT = {
  summary:
    'Requests the deletion of the account and ends all its sessions; it can be taken back until it is carried out',
  body: Type.Object({ password: Type.Optional(Type.String()) }),
  response: { 202: Scheduled, ...errorResponses },
}
export const RESTORE_OWN_ACCOUNT = {
  summary: 'Takes the requested deletion of the account back',
  response: { 204: Type.Null(), ...errorResponses },
}
export const DELETE_ACCOUNT = {
  summary: "Requests the deletion of a user's account; a repeated request gets the same answer",
  params: Params,
  response: { 202: Scheduled, ...errorResponses },
}
export const RESTORE_ACCOUNT = {
  summary: "Takes the requested deletion of a user's account back",
  params: Params,
  response: { 204: Type.Null(), ...errorResponses },
}
export const LIST_DELETIONS = {
  summary: 'Lists the deletions of accounts that are not complete, newest first, and how far each service is',
  response: { 200: Type.Array(Deletion), ...errorResponses },
}
