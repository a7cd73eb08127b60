import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { root } from '../local/paths.ts'
import { type OpenApiDocument, publicApiFile } from '../scripts/public-api.ts'

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
