import { describe, expect, test } from 'vitest'
import type { Item } from '../src/features/upload/queue/item.ts'
import { bytesSentPerFile, RequestSize, takeGroup } from '../src/features/upload/queue/request-groups.ts'
import { TransferRate } from '../src/features/upload/queue/transfer-rate.ts'
import { batch } from './upload-fixture.ts'

describe('request groups', () => {
  const queued = (bytes: number) => ({ state: { name: 'queued' }, batch, sendAlone: false, bytes }) as Item

  test('contain at most ten files, at most the given bytes, and at least one file', () => {
    const small = Array.from({ length: 24 }, () => queued(1))
    expect([takeGroup(small, 100), takeGroup(small, 100), takeGroup(small, 100)].map((g) => g.length)).toEqual([
      10, 10, 4,
    ])
    expect(takeGroup([queued(60), queued(60)], 100)).toHaveLength(1)
    expect(takeGroup([queued(500), queued(1)], 100)).toHaveLength(1)
  })

  test('shrink when the connection breaks and grow when it is fast', () => {
    const size = new RequestSize()
    const first = size.bytes
    size.failed()
    expect(size.bytes).toBe(first / 2)
    for (let i = 0; i < 20; i += 1) size.succeeded(50 * 1024 * 1024, 100)
    expect(size.bytes).toBe(64 * 1024 * 1024)
    for (let i = 0; i < 20; i += 1) size.succeeded(1024 * 1024, 60_000)
    expect(size.bytes).toBe(2 * 1024 * 1024)
  })

  test('attribute sent bytes to the files in order', () => {
    expect(bytesSentPerFile([100, 100, 50], 130, 260)).toEqual([100, 25, 0])
    expect(bytesSentPerFile([100, 100], 999, 220)).toEqual([100, 100])
  })
})

describe('the transfer rate', () => {
  test('is an average, and null for the first seconds', () => {
    const speed = new TransferRate()
    speed.record(0, 0)
    expect(speed.bytesPerSecond(1000)).toBeNull()
    for (let at = 1000; at <= 40_000; at += 1000) speed.record(at % 2000 === 0 ? 2000 : 0, at)
    expect(speed.bytesPerSecond(40_000)).toBeGreaterThan(900)
    expect(speed.bytesPerSecond(40_000)).toBeLessThan(1200)
  })
})
