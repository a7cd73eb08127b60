import { type TSchema, Type } from 'typebox'

/** The schema of a value that may be null. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}
