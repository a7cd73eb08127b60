import { openPool } from '@skyfolio/kit'
import { createTestDatabase } from '@skyfolio/testkit'
import { beforeAll, expect, test } from 'vitest'
import { findObject, render, toolPath } from '../../checks/chart/render.ts'

beforeAll(() => toolPath('helm'), 900_000)

test("KEDA's query counts waiting and processing photos in the real schema", async () => {
  const manifests = await render({ files: ['ci/autoscaling-values.yaml'] })
  const [trigger] = findObject(manifests, 'ScaledObject', 'sky-skyfolio-media-worker').spec.triggers
  const database = await createTestDatabase('media')
  const client = openPool(database.url)
  try {
    const waiting = async () => Object.values((await client.query(trigger.metadata.query)).rows[0])
    expect(await waiting()).toEqual(['0'])
    await client.query(`
      INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, status)
      SELECT 1, 'Photo', n || '.jpg', n || '.jpg', 1, n, CASE WHEN n <= 3 THEN 'processing' ELSE 'ready' END
      FROM generate_series(1, 5) AS n`)
    expect(await waiting()).toEqual(['3'])
  } finally {
    await client.end()
    await database.drop()
  }
})
