import type { Identity } from '@skyfolio/kit'
import type { Static, TSchema } from 'typebox'

type Part<Schema, Key extends string> = Schema extends { [key in Key]: infer T extends TSchema } ? Static<T> : unknown

/** What a handler gets of a request to a route with this schema. */
export interface RequestOf<Schema> {
  identity: Identity
  params: Part<Schema, 'params'>
  query: Part<Schema, 'querystring'>
  body: Part<Schema, 'body'>
}
