import { queryOptions } from '@tanstack/react-query'
import { jsonOf, send } from '../lib/http.ts'

/** A JSON Schema, as far as the services' documents use it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  default?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  contentMediaType?: string
}

/** A schema for each media type. */
export type Content = Record<string, { schema?: Schema }>

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

export interface OpenApiOperation {
  tags?: string[]
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { description?: string; content?: Content }>
}

/** An OpenAPI 3.1 document, as far as the services' documents use it. */
export interface OpenApiDocument {
  info: { title: string; version: string; description?: string }
  tags?: { name: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  components?: { schemas?: Record<string, Schema> }
}

/** Where the document of all public routes is. */
export const OPEN_API_PATH = '/api/openapi.json'

/** The document of all public routes. */
export const openApiQuery = queryOptions({
  queryKey: ['open-api'],
  queryFn: async ({ signal }): Promise<OpenApiDocument> => jsonOf(await send(OPEN_API_PATH, { signal })),
})
