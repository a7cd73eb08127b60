import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, schemaDifferences } from '@skyfolio/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { openApiApp } from '../scripts/openapi-app.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the migrated database matches schema.prisma', async () => {
  const database = await createTestDatabase('folders')
  onTestFinished(() => database.drop())
  expect(await schemaDifferences(`${root}/prisma/schema.prisma`, database.url)).toEqual([])
})

test('openapi.json is up to date', async () => {
  const app = await openApiApp()
  await app.ready()
  expect(JSON.parse(await readFile(`${root}/openapi.json`, 'utf8'))).toEqual(JSON.parse(JSON.stringify(app.swagger())))
})
