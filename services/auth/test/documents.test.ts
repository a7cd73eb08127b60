import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { schemaDifferences } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

test('the migrated database matches schema.prisma', async () => {
  expect(await schemaDifferences(path('prisma/schema.prisma'), auth.databaseUrl)).toEqual([])
})

test('openapi.json is up to date', async () => {
  await auth.app.ready()
  expect(JSON.parse(await readFile(path('openapi.json'), 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(auth.app.swagger())),
  )
})
