import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

interface Schema {
  type?: string
  minimum?: number
  maximum?: number
  pattern?: string
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}
interface Parameter {
  name: string
  in: string
  schema: Schema
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const LAST_ID = 2 ** 31 - 1

/** Parameters of paths that are texts wherever they are. */
const TEXTS = ['shareCode', 'filename', 'voter', 'size', 'version', 'queue']
/** Ids of sessions, exports and jobs are no numbers. The image has 404 in place of 400: its route reads the id. */
const TEXT_IDS = new Set([
  'auth DELETE /api/user/sessions/{id} id',
  'media GET /api/user/export/{id} id',
  'media GET /api/photos/{id}/image id',
  'media POST /api/admin/failed-jobs/{queue}/{id}/retry id',
])
/** 128 random bits in hex. */
const RANDOM_ID = '^[0-9a-f]{32}$'
const LIST_OF_IDS = '^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,99}$'
/** Ids of the partner, and the text fields of a form. */
const FOREIGN_IDS = /(product(Group)?Id|vendorOrderId|upload-photos? folderId)$/

async function operations() {
  const documents = globSync(['gateway/openapi.json', 'services/*/openapi.json'], { cwd: root })
  const read = async (path: string) => {
    const { paths } = JSON.parse(await readFile(`${root}/${path}`, 'utf8'))
    const service = path.split('/').at(-2)
    return Object.entries<Record<string, Operation>>(paths).flatMap(([url, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${service} ${method.toUpperCase()} ${url}`,
        operation,
      })),
    )
  }
  return (await Promise.all(documents.map(read))).flat()
}

/** Names of parameters and fields. */
const isIdName = (name: string) => /(^| )ids?$|Ids?$/.test(name)
const isCount = ({ type, minimum, maximum = Infinity }: Schema) =>
  type === 'integer' && minimum === 1 && maximum <= LAST_ID
/** Zoom, column or row of a tile. */
const isTileNumber = ({ type, minimum, maximum = Infinity }: Schema) =>
  type === 'integer' && minimum === 0 && maximum <= LAST_ID
const isId = (schema: Schema) => isCount(schema) && schema.maximum === LAST_ID
/** The types of the value itself: of a list those of its items, of null none. */
const typesOf = ({ anyOf, items, ...own }: Schema): Schema[] => {
  if (items) return typesOf(items)
  if (anyOf) return anyOf.flatMap(typesOf)
  return own.type === 'null' ? [] : [own]
}

async function parametersOf(part: string) {
  return (await operations()).flatMap(({ name, operation }) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === part)
      .map((parameter) => ({ name: `${name} ${parameter.name}`, schema: parameter.schema })),
  )
}

test('each parameter of a path is a number of 32 bits, which kit reads from decimal digits only, or a known kind of text', async () => {
  const parameters = await parametersOf('path')
  expect(parameters.length).toBeGreaterThan(30)
  const isKnown = (name: string, schema: Schema) =>
    isCount(schema) || schema.pattern === RANDOM_ID || (/ [zxy]$/.test(name) && isTileNumber(schema))
  const textual = parameters.filter(({ name, schema }) => !isKnown(name, schema)).map(({ name }) => name)
  const unknown = textual.filter((name) => !TEXTS.some((text) => name.endsWith(` ${text}`)))
  expect(new Set(unknown)).toEqual(TEXT_IDS)
})

test('each number in a query is a bounded integer, which kit reads from decimal digits only, and no id is a text', async () => {
  const parameters = await parametersOf('query')
  const numbers = parameters.filter(
    ({ name, schema }) => isIdName(name) || /"(integer|number)"/.test(JSON.stringify(schema)),
  )
  expect(numbers.length).toBeGreaterThan(5)
  const others = numbers.filter(({ schema }) => schema.type !== 'integer' || schema.maximum === undefined)
  expect(others).toEqual([{ name: 'media GET /api/photos ids', schema: { type: 'string', pattern: LIST_OF_IDS } }])
})

test('each id in a body is a JSON integer of 32 bits', async () => {
  const found: string[] = []
  const wrong: string[] = []
  const visit = (name: string, schema: Schema): void => {
    for (const [field, value] of Object.entries(schema.properties ?? {})) {
      if (isIdName(field)) {
        found.push(`${name} ${field}`)
        if (!typesOf(value).every(isId) && !FOREIGN_IDS.test(`${name} ${field}`)) wrong.push(`${name} ${field}`)
      } else visit(name, value)
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]) visit(name, part)
  }
  for (const { name, operation } of await operations())
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) visit(name, schema)
  expect(found.length).toBeGreaterThan(5)
  expect(wrong).toEqual([])
})
