import { Type } from 'typebox'

/** Items in one request. Their JSON is accepted by the gateway, also for hashes. */
export const MAX_IDS = 500
export const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
export const Ids = Type.Array(Id, { maxItems: MAX_IDS })
export const IdParams = Type.Object({ id: Id })

/** Route options: only signed-in users have access. */
export const signedIn = { config: { access: 'user' } } as const
