import { errorResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { AdminUser } from '../administration/admin-users.ts'
import { MAX_COUNT } from '../administration/search-users.ts'

const NullableText = Nullable(Type.String())
const DateTime = Type.String({ format: 'date-time' })

const AdminUserBody = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  email: NullableText,
  emailConfirmed: Type.Boolean(),
  firstName: NullableText,
  lastName: NullableText,
  isAdmin: Type.Boolean(),
  disabled: Type.Boolean({ description: 'Cannot sign in, and shares nothing' }),
  createdAt: DateTime,
  lastActiveAt: Nullable(DateTime),
  photoCount: Type.Integer({ description: 'Photos of the gallery' }),
  storageUsed: Type.Integer({ description: 'Bytes of all originals, those of the metadata screen included' }),
  quota: Nullable(Type.Integer({ description: "Bytes; null: the installation's default" })),
  deletesAt: Nullable(
    Type.String({ format: 'date-time', description: 'When the account is deleted; null unless that was requested' }),
  ),
  deletionByAdmin: Type.Boolean({ description: 'An administrator requested the deletion' }),
})

export function adminUserBody(user: AdminUser): Type.Static<typeof AdminUserBody> {
  return {
    ...user,
    createdAt: user.createdAt.toISOString(),
    lastActiveAt: user.lastActiveAt?.toISOString() ?? null,
    storageUsed: Number(user.storageUsed),
    quota: user.quota === null ? null : Number(user.quota),
    deletesAt: user.deletesAt?.toISOString() ?? null,
  }
}

const UserParams = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) })

const UsersQuery = Type.Object({
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Substring of username, address or name, case-insensitive' }),
  ),
  role: Type.Optional(
    Type.Union([Type.Literal('all'), Type.Literal('admin'), Type.Literal('user')], { default: 'all' }),
  ),
  sort: Type.Optional(Type.Union([Type.Literal('newest'), Type.Literal('oldest')], { default: 'newest' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the Link header of the previous page' })),
})

/** Unknown fields are rejected: what cannot be changed here must not seem to be. */
const ChangeBody = Type.Partial(
  Type.Object({
    firstName: NullableText,
    lastName: NullableText,
    email: NullableText,
    isAdmin: Type.Boolean(),
    disabled: Type.Boolean(),
    quota: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes' })),
  }),
  { additionalProperties: false },
)

export const LIST_USERS = {
  summary: 'Lists users',
  description: `Users in pages with a \`Link\` to the next one. \`X-Total-Count\` is exact without \`q\`; otherwise exact up to
${MAX_COUNT}, and ${MAX_COUNT + 1} stands for more.`,
  querystring: UsersQuery,
  response: { 200: Type.Array(AdminUserBody), ...errorResponses },
}
export const GET_ADMIN_USER = {
  summary: 'Returns a user',
  params: UserParams,
  response: { 200: AdminUserBody, ...errorResponses },
}
export const PATCH_USER = {
  summary: 'Changes the given fields of a user; null or an empty text removes a name or the address',
  params: UserParams,
  body: ChangeBody,
  response: { 200: AdminUserBody, ...errorResponses },
}
export const SEND_RESET = {
  summary: "Sends a link for a new password to the user's confirmed address",
  params: UserParams,
  response: { 202: Type.Object({}), ...errorResponses },
}
