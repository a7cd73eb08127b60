import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Content, OpenApiDocument, Schema } from '../src/api/open-api.ts'
import { limitsOf, operationsOf, propertiesOf, searchOperations, typeOf } from '../src/features/api-docs/operations.ts'

const file = new URL('../../gateway/src/generated/public-api.json', import.meta.url)
const document = JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument
const operations = operationsOf(document)

describe('the operations', () => {
  test('are all in the list, each with an address of its own', () => {
    const methods = Object.values(document.paths).flatMap((path) => Object.keys(path))
    expect(operations).toHaveLength(methods.length)
    expect(new Set(operations.map(({ id }) => id)).size).toBe(methods.length)
    expect(operations.map(({ id }) => id)).toContain('post-api-photos-id-rank')
  })

  test('are found by all words of the search, regardless of case and order', () => {
    const found = searchOperations(operations, ' RANK  ballot')
    expect(found.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /api/photos/{id}/rank'])
    expect(searchOperations(operations, '')).toHaveLength(operations.length)
    expect(searchOperations(operations, 'rank elephant')).toEqual([])
  })
})

describe('a schema in words', () => {
  const type = (schema: Schema) => typeOf(schema, document)
  test('names types, alternatives and lists', () => {
    expect(
      type({
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'string', enum: ['b'] },
        ],
      }),
    ).toBe('"a" or "b"')
    expect(type({ type: 'array', items: { type: 'object' } })).toBe('list of objects')
    expect(type({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toBe('integer or null')
    expect(type({ $ref: '#/components/schemas/Error' })).toBe('object')
  })

  test('names limits, but not the largest id', () => {
    expect(limitsOf({ minimum: 1, maximum: 500, default: 20 }, document)).toBe('1 to 500, 20 if absent')
    expect(limitsOf({ minimum: 1, maximum: 2_147_483_647 }, document)).toBe('at least 1')
    expect(limitsOf({ type: 'string', maxLength: 5000 }, document)).toBe('at most 5,000 characters')
  })

  test('has the properties of references, lists and alternatives', () => {
    const list: Schema = { anyOf: [{ items: { $ref: '#/components/schemas/Error' } }, { type: 'null' }] }
    expect(propertiesOf(list, document).map(({ name }) => name)).toEqual(['code', 'message', 'issues', 'fields'])
  })

  test('is known for everything in the document', () => {
    const unknown: string[] = []
    const check = (schema: Schema, where: string): void => {
      if (typeOf(schema, document).includes('any value')) unknown.push(where)
      for (const { name, schema: inner } of propertiesOf(schema, document)) check(inner, `${where}.${name}`)
    }
    const contents = (content: Content = {}, where: string) => {
      for (const { schema } of Object.values(content)) if (schema) check(schema, where)
    }
    for (const { id, parameters = [], requestBody, responses } of operations) {
      for (const { name, schema } of parameters) check(schema ?? {}, `${id} ${name}`)
      contents(requestBody?.content, id)
      for (const [status, { content }] of Object.entries(responses)) contents(content, `${id} ${status}`)
    }
    expect(unknown).toEqual([])
  })
})
