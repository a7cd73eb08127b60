import { fileURLToPath } from 'node:url'
import { createTestDatabase, schemaDifferences } from '@skyfolio/testkit'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the migrated database matches schema.prisma', async () => {
  const database = await createTestDatabase('folders')
  onTestFinished(() => database.drop())
  expect(await schemaDifferences(`${root}/prisma/schema.prisma`, database.url)).toEqual([])
})
