import { fromBinary } from '@bufbuild/protobuf'
import { events } from '@skyfolio/proto'

const SCHEMAS = new Map(Object.values(events).map(({ subject, schema }) => [subject, schema]))
/** Entries of the audit log stay. */
const AUDIT = /\.audit\.recorded$/

/** Whether an event is about one of the users; false for one that cannot be read. */
export function mentionsUser(subject: string, payload: Uint8Array, users: ReadonlySet<number>): boolean {
  const schema = SCHEMAS.get(subject)
  if (!schema || AUDIT.test(subject)) return false
  try {
    return namesUser(fromBinary(schema, payload) as unknown as Fields, users)
  } catch {
    return false
  }
}

interface Fields {
  userId?: unknown
  user?: { id?: unknown }
  [field: string]: unknown
}

/** An event has `userId` itself or in the entity that it carries; `auth.user.changed` carries the user. */
function namesUser(fields: Fields, users: ReadonlySet<number>): boolean {
  const id = fields.userId ?? fields.user?.id
  if (typeof id === 'number') return users.has(id)
  return Object.values(fields).some((value) => isFields(value) && namesUser(value, users))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && '$typeName' in value
}
