import type { OpenApiDocument, OpenApiOperation, Schema } from '../../api/open-api.ts'
import { formatNumber } from '../../lib/format.ts'

export interface Operation extends OpenApiOperation {
  /** Of the page's element: 'post-api-photos-id-rank'. */
  id: string
  /** In upper case. */
  method: string
  path: string
  tag: string
}

export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      id: `${method}${path.replaceAll(/\W+/g, '-')}`.replace(/-$/, ''),
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? 'Other',
    })),
  )
}

/** The operations that contain all words of the search in method, path, texts or parameters, regardless of case. */
export function searchOperations(operations: readonly Operation[], search: string): Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ method, path, tag, summary, description, parameters = [] }) => {
    const names = parameters.map(({ name }) => name)
    const text = [method, path, tag, summary, description, ...names].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

interface Property {
  name: string
  schema: Schema
  required: boolean
}

/** The schema that a reference names; schemas that all hold are one. */
function resolve(schema: Schema, document: OpenApiDocument): Schema {
  if (schema.$ref) return document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {}
  if (!schema.allOf) return schema
  const parts = schema.allOf.map((part) => resolve(part, document))
  return {
    ...Object.assign({}, ...parts),
    ...schema,
    required: parts.flatMap(({ required = [] }) => required),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  }
}

/** The type in words: 'integer', 'text or null', 'list of objects', '"first" or "second"'. */
export function typeOf(given: Schema, document: OpenApiDocument): string {
  const schema = resolve(given, document)
  if (schema.anyOf) return unique(schema.anyOf.map((part) => typeOf(part, document))).join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (schema.contentMediaType) return 'file'
  if (schema.items) return `list of ${plural(typeOf(schema.items, document))}`
  const types = [schema.type ?? []].flat()
  if (schema.properties || types.includes('object')) return 'object'
  return types.map((type) => NAMES[type] ?? type).join(' or ') || 'any value'
}

const NAMES: Record<string, string> = { string: 'text' }

const plural = (type: string) => (/^(object|integer|number|file)$/.test(type) ? `${type}s` : type)

/** The limits in words: '1 to 500, 20 if absent'. */
export function limitsOf(given: Schema, document: OpenApiDocument): string {
  const schema = resolve(given, document)
  const facts = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(undefined, schema.maxItems, ' entries'),
    schema.format ?? '',
    schema.default === undefined ? '' : `${JSON.stringify(schema.default)} if absent`,
  ]
  return facts.filter(Boolean).join(', ')
}

/** The largest id says nothing. */
const LARGEST_ID = 2_147_483_647

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const most = to === LARGEST_ID ? undefined : to
  if (from !== undefined && most !== undefined) return `${formatNumber(from)} to ${formatNumber(most)}${unit}`
  if (most !== undefined) return `at most ${formatNumber(most)}${unit}`
  return from === undefined ? '' : `at least ${formatNumber(from)}${unit}`
}

/** The properties of an object, of the objects of a list, or of the only object among alternatives. */
export function propertiesOf(given: Schema, document: OpenApiDocument): Property[] {
  const schema = resolve(given, document)
  if (schema.items) return propertiesOf(schema.items, document)
  if (schema.anyOf) return schema.anyOf.flatMap((part) => propertiesOf(part, document))
  const listed = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    required: schema.required?.includes(name) ?? false,
  }))
  const others = schema.additionalProperties
  return typeof others === 'object' ? [...listed, { name: 'any name', schema: others, required: false }] : listed
}

const unique = (texts: readonly string[]) => [...new Set(texts)]
