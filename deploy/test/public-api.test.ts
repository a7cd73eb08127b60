import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { root } from '../local/paths.ts'
import { mergeDocuments, type OpenApiDocument, publicApiFile } from '../scripts/public-api.ts'

const ERROR = { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } }
const json = (schema: object) => ({ description: 'Default Response', content: { 'application/json': { schema } } })

/** A document with one route. */
function documentOf(title: string, path: string, operation: object = {}, components: object = {}): OpenApiDocument {
  const responses = { 200: json({ type: 'boolean' }), '4XX': json(ERROR) }
  const paths = { [path]: { get: { summary: 'Reads it', security: [], responses, ...operation } } }
  return { info: { title }, components, paths } as unknown as OpenApiDocument
}

test('the public document is valid OpenAPI 3.1', async () => {
  const document = JSON.parse(await readFile(join(root, publicApiFile), 'utf8'))
  const validator = new Validator()
  expect(await validator.validate(document)).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
  expect(() => validator.resolveRefs()).not.toThrow()
})

test('every public operation says in a line what it does', async () => {
  const { paths } = JSON.parse(await readFile(join(root, publicApiFile), 'utf8')) as OpenApiDocument
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ route: `${method} ${path}`, summary })),
  )
  expect(operations.filter(({ summary }) => !summary).map(({ route }) => route)).toEqual([])
})

test('an operation says whom it is for', () => {
  const describe = (security: object[]) =>
    mergeDocuments([documentOf('Photos', '/api/photos', { security })]).paths['/api/photos']?.get?.description
  expect(describe([])).toBeUndefined()
  expect(describe([{ session: [] }])).toBe('For signed-in users.')
  expect(describe([{ session: ['administrator'] }])).toBe('For administrators.')
})

test.each([
  ['route', documentOf('Folders', '/api/photos'), 'Two documents have GET /api/photos.'],
  ['operationId', documentOf('Folders', '/api/folders', { operationId: 'list' }), 'Two routes have the id list.'],
  [
    'component',
    documentOf('Folders', '/api/folders', {}, { schemas: { Photo: { type: 'number' } } }),
    'Two documents have different components schemas/Photo.',
  ],
  [
    'body of errors',
    documentOf('Folders', '/api/folders', { responses: { '4XX': json({ ...ERROR, required: ['code'] }) } }),
    'Two documents have different components schemas/Error.',
  ],
])('documents that disagree about a %s cannot be merged', (_, other, message) => {
  const photos = documentOf(
    'Photos',
    '/api/photos',
    { operationId: 'list' },
    { schemas: { Photo: { type: 'object' } } },
  )
  expect(() => mergeDocuments([photos, other])).toThrow(message)
})
