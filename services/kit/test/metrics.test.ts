import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { testDirectory } from '@skyfolio/testkit'
import { describe, expect, test } from 'vitest'
import { describeMetrics, metrics, openObjectStore, openPool } from '../src/index.ts'
import { renderMetrics } from '../src/telemetry/metrics.ts'
import { busDatabase } from './fixtures/bus.ts'

const lines = async (name: string) =>
  (await renderMetrics()).text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'))

describe('metrics', () => {
  test('a gauge has no value before it is set, and none when it cannot be read', async () => {
    const gauge = metrics.gauge('skyfolio_test_depth', 'For a test')
    expect(await lines('skyfolio_test_depth')).toEqual([])
    let depth: number | null = 7
    const end = metrics.onScrape('depth', () => {
      if (depth === null) throw new Error('away')
      return [[gauge, depth]]
    })
    expect(await lines('skyfolio_test_depth')).toEqual(['skyfolio_test_depth 7'])
    depth = null
    expect(await lines('skyfolio_test_depth')).toEqual([])
    expect(await lines('skyfolio_metrics_unread_total{source="depth"}')).toEqual([
      'skyfolio_metrics_unread_total{source="depth"} 2',
    ])
    depth = 0
    expect(await lines('skyfolio_test_depth')).toEqual(['skyfolio_test_depth 0'])
    end()
    expect(await lines('skyfolio_test_depth')).toEqual([])
  })

  test('several sources set one gauge; labels that are gone disappear', async () => {
    const gauge = metrics.gauge('skyfolio_test_jobs', 'For a test', ['queue'])
    const endA = metrics.onScrape('a', async () => [[gauge, 1, { queue: 'a' }]])
    const endB = metrics.onScrape('b', () => [[gauge, 2, { queue: 'b' }]])
    expect(await lines('skyfolio_test_jobs')).toEqual([
      'skyfolio_test_jobs{queue="a"} 1',
      'skyfolio_test_jobs{queue="b"} 2',
    ])
    endA()
    expect(await lines('skyfolio_test_jobs')).toEqual(['skyfolio_test_jobs{queue="b"} 2'])
    endB()
  })

  test('a source that hangs is read once at a time, delays a scrape up to the limit, and recovers', async () => {
    const gauge = metrics.gauge('skyfolio_test_hanging', 'For a test')
    const healthy = metrics.gauge('skyfolio_test_healthy', 'For a test')
    let asked = 0
    const response = Promise.withResolvers<number>()
    const ends = [
      metrics.onScrape('hanging', async () => {
        asked += 1
        return [[gauge, await response.promise]]
      }),
      metrics.onScrape('healthy', () => [[healthy, 1]]),
    ]
    const scrapes = await Promise.all([renderMetrics(), renderMetrics()])
    expect(asked).toBe(1)
    for (const { text } of scrapes) {
      expect(text).toContain('\nskyfolio_test_healthy 1\n')
      expect(text).not.toContain('\nskyfolio_test_hanging ')
    }
    response.resolve(3)
    expect(await lines('skyfolio_test_hanging')).toEqual(['skyfolio_test_hanging 3'])
    for (const end of ends) end()
  })

  test('each metric is described by its kind, labels and meaning', () => {
    metrics.counter('skyfolio_test_total', 'For a test', ['outcome'])
    expect(describeMetrics()).toContainEqual({
      name: 'skyfolio_test_total',
      type: 'counter',
      labels: ['outcome'],
      help: 'For a test',
    })
  })
})

test('the pool reports its connections, and the waiting callers when all are in use', async () => {
  const database = await busDatabase()
  const pool = openPool(database.url, { max: 1 })
  const client = await pool.connect()
  expect(await lines('skyfolio_db_connections{state="in_use"}')).toEqual(['skyfolio_db_connections{state="in_use"} 1'])
  const waiting = pool.query('SELECT 1')
  expect(await lines('skyfolio_db_waiting')).toEqual(['skyfolio_db_waiting 1'])
  client.release()
  await waiting
  expect(await lines('skyfolio_db_waiting')).toEqual(['skyfolio_db_waiting 0'])
  expect(await lines('skyfolio_db_wait_seconds_count')).toEqual(['skyfolio_db_wait_seconds_count 2'])
  await pool.end()
  await database.drop()
})

test('a failing call to the object store counts as its error, a failing body does not', async () => {
  const objectStoreDir = await mkdtemp(join(testDirectory(), 'measured-'))
  const unused = { s3Region: '' }
  const store = await openObjectStore({ objectStoreDir, ...unused })
  const put = (body: Readable) => store.put('photos/one.jpg', body, { contentType: 'image/jpeg' })
  const errors = () => lines('skyfolio_object_store_errors_total{operation="put"}')
  await put(Readable.from(['whole']))
  const broken = new Readable({ read: () => broken.destroy(new Error('the client left')) })
  await expect(put(broken)).rejects.toThrow('the client left')
  expect(await errors()).toEqual(['skyfolio_object_store_errors_total{operation="put"} 0'])
  await rm(objectStoreDir, { recursive: true })
  await expect(put(Readable.from(['lost']))).rejects.toThrow()
  expect(await errors()).toEqual(['skyfolio_object_store_errors_total{operation="put"} 1'])
  expect(await lines('skyfolio_object_store_seconds_count{operation="put"}')).toEqual([
    'skyfolio_object_store_seconds_count{operation="put"} 3',
  ])
})
