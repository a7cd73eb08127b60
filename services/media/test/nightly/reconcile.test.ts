import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLogger } from '@skyfolio/kit'
import { expect, test } from 'vitest'
import { originalKey } from '../../src/files/object-keys.ts'
import { reconcile } from '../../src/files/reconcile.ts'
import { startTestMedia } from '../support.ts'

const PHOTOS = 100_000
const MiB = 1024 * 1024

test('compares 100,000 photos with as many objects in bounded memory', async () => {
  const media = await startTestMedia()
  await media.db.$executeRaw`
    INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, status)
    SELECT 1, '', md5(n::text) || '.jpg', '', 1, n::text, 'ready' FROM generate_series(1, ${PHOTOS}) n`
  const names = await media.db.photo.findMany({ select: { filename: true } })
  const folder = join(media.env.OBJECT_STORE_DIR ?? '', 'objects')
  await mkdir(join(folder, 'originals'), { recursive: true })
  for (let at = 0; at < names.length; at += 100) {
    const some = names.slice(at, at + 100)
    await Promise.all(some.map(({ filename }) => writeFile(join(folder, originalKey(filename)), 'x')))
  }
  names.length = 0
  globalThis.gc?.()

  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
  const before = used()
  let most = 0
  const measuring = setInterval(() => {
    most = Math.max(most, used() - before)
  }, 20)
  const begun = performance.now()
  const deps = { db: media.db, store: media.store, logger: createLogger('reconcile', 'silent') }
  const found = await reconcile(deps, { orphanAgeMs: -1, dryRun: false })
  clearInterval(measuring)
  console.log(`${Math.round((performance.now() - begun) / 100) / 10} s, ${Math.round(most / MiB)} MiB`)
  expect(found).toMatchObject({
    photos: PHOTOS,
    objects: PHOTOS,
    missingOriginals: 0,
    orphans: 0,
    missingRenditions: 0,
  })
  expect(most).toBeLessThan(100 * MiB)
  await media.close()
})
