import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createLogger } from '@skyfolio/kit'
import { createTestDatabase, schemaDifferences } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import type { MediaDeps } from '../src/deps.ts'
import { republishPhotos } from '../src/events.ts'
import { PHOTO_EVENTS, startTestMedia } from './support.ts'

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

test('matches schema.prisma after all migrations', async () => {
  const database = await createTestDatabase('media')
  expect(await schemaDifferences(path('prisma/schema.prisma'), database.url)).toEqual([])
  await database.drop()
})

test('has a current openapi.json', async () => {
  const app = await buildApp({ logger: createLogger('media', 'silent'), identityKeys: ['x'.repeat(32)] } as MediaDeps)
  await app.ready()
  expect(JSON.parse(await readFile(path('openapi.json'), 'utf8'))).toEqual(JSON.parse(JSON.stringify(app.swagger())))
})

test('publishes the current state of every photo again', async () => {
  const media = await startTestMedia()
  const photos = [await media.upload(1), await media.upload(2)]
  const before = await media.db.outbox.count({ where: PHOTO_EVENTS })
  expect(await republishPhotos(media.db)).toBe(photos.length)
  expect(await media.db.outbox.count({ where: PHOTO_EVENTS })).toBe(before + photos.length)
  expect(await media.photo(photos[0]?.id ?? 0)).toMatchObject({ revision: 1 })
  await media.close()
})
