import { readFile, writeFile } from 'node:fs/promises'
import { STATUS_CODES } from 'node:http'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { httpComponents, inStartOrder, openApiDocument } from '../components.ts'
import { root } from '../local/paths.ts'

type Json = null | boolean | number | string | Json[] | JsonObject
interface JsonObject {
  [name: string]: Json
}

interface Operation extends JsonObject {
  responses: Record<string, JsonObject>
}

interface Paths {
  [path: string]: { [method: string]: Operation }
}

/** By kind, such as `schemas`, and name. */
type Components = Record<string, JsonObject>

/** The parts of an OpenAPI document that the services use. */
export interface OpenApiDocument {
  info: { title: string }
  components?: Components
  paths: Paths
}

/** Written by `npm run generate`; the gateway serves it. */
export const publicApiFile = 'gateway/src/generated/public-api.json'

const DESCRIPTION = `Everything that the pages of Skyfolio do, they do by these requests.

- \`POST /api/login\` sets the cookie of the session. Operations for signed-in users and for administrators say so.
- A request that changes something and carries the cookie needs the header \`Origin\` with the address of this site.
- Who sends too many requests gets 429; \`Retry-After\` says when to continue.
- Responses may get further fields at any time.`

if (import.meta.main) await main()

async function main(): Promise<void> {
  const files = inStartOrder(httpComponents()).map((component) => join(root, openApiDocument(component)))
  const documents = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8'))))
  await writeFile(join(root, publicApiFile), `${JSON.stringify(mergeDocuments(documents), null, 2)}\n`)
}

/**
 * One document of all routes, grouped by the titles of the given ones. The bodies of errors become components.
 * @throws Error when two documents have the same route or `operationId`, or different components of the same name
 */
function mergeDocuments(documents: OpenApiDocument[]) {
  const components: Components = {}
  const paths: Paths = {}
  const ids = new Set<Json>()
  for (const document of documents) {
    for (const [kind, name, component] of entriesOf(document.components ?? {}))
      addComponent(components, kind, name, component)
    for (const [path, method, operation] of entriesOf<Operation>(document.paths)) {
      if (paths[path]?.[method]) throw new Error(`Two documents have ${method.toUpperCase()} ${path}.`)
      if (ids.has(operation.operationId ?? '')) throw new Error(`Two routes have the id ${operation.operationId}.`)
      if (operation.operationId) ids.add(operation.operationId)
      paths[path] = { ...paths[path], [method]: toPublic(operation, document.info.title, components) }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Skyfolio API', version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: documents.map(({ info }) => ({ name: info.title })),
    components,
    paths,
  }
}

function entriesOf<Value extends Json>(tree: Record<string, Record<string, Value>>): [string, string, Value][] {
  return Object.entries(tree).flatMap(([outer, values]) =>
    Object.entries(values).map(([inner, value]): [string, string, Value] => [outer, inner, value]),
  )
}

function addComponent(components: Components, kind: string, name: string, component: Json): void {
  const existing = components[kind]?.[name]
  if (existing !== undefined && !isDeepStrictEqual(existing, component))
    throw new Error(`Two documents have different components ${kind}/${name}.`)
  components[kind] = { ...components[kind], [name]: component }
}

function toPublic(operation: Operation, tag: string, components: Components): Operation {
  const { summary, description, ...rest } = withoutSentences(operation) as Operation
  const text = [description, audienceOf(rest.security)].filter(Boolean).join('\n\n')
  const responses = Object.entries(rest.responses).map(([status, response]) => [
    status,
    describeResponse(status, shareErrorBody(status, response, components)),
  ])
  return {
    tags: [tag],
    ...(summary && { summary }),
    ...(text && { description: text }),
    ...rest,
    responses: Object.fromEntries(responses),
  }
}

/** Viewers do not show the roles that OpenAPI 3.1 permits in `security`. */
function audienceOf(security: Json | undefined): string | undefined {
  const [requirement] = (security ?? []) as { session?: string[] }[]
  if (!requirement?.session) return undefined
  return requirement.session.includes('administrator') ? 'For administrators.' : 'For signed-in users.'
}

/** Every route declares the body of its errors in full; here they refer to one component. */
function shareErrorBody(status: string, response: JsonObject, components: Components): JsonObject {
  const { schema } =
    (response.content as { 'application/json'?: { schema: { properties: JsonObject } } } | undefined)?.[
      'application/json'
    ] ?? {}
  if (!schema || !['4XX', '5XX'].includes(status)) return response
  const name = schema.properties.error ? 'ErrorWithSentence' : 'Error'
  addComponent(components, 'schemas', name, schema)
  return { ...response, content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } }
}

function describeResponse(status: string, response: JsonObject): JsonObject {
  const isUndescribed = response.description === 'Default Response'
  return isUndescribed ? { ...response, description: textOf(status) } : response
}

function textOf(status: string): string {
  if (status === '4XX') return 'The request is rejected'
  if (status === '5XX') return 'The request failed'
  return STATUS_CODES[status] ?? status
}

/** Without `x-message`, from which rejections take their sentences. */
function withoutSentences(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSentences)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([name]) => name !== 'x-message')
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutSentences(inner)]))
}
