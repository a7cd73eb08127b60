import { constants, PerformanceObserver } from 'node:perf_hooks'
import { PassThrough } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { waitFor } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { freeBuffersOf } from '../src/process/free-buffers.ts'

const { NODE_PERFORMANCE_GC_MINOR: MINOR, NODE_PERFORMANCE_GC_FLAGS_FORCED: FORCED } = constants

test('the young generation is collected once for every 4 MiB of a body, and the function stays hidden', async () => {
  const seen: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as { detail?: { kind: number; flags: number } }[])
      if (detail?.flags === FORCED) seen.push(detail.kind)
  })
  observer.observe({ entryTypes: ['gc'] })
  const body = new PassThrough()
  freeBuffersOf(body)
  for (let count = 0; count < 8; count++) body.write(Buffer.alloc(1024 * 1024))
  await waitFor(() => seen.length >= 2, { what: 'two collections' })
  observer.disconnect()
  // V8 takes the whole heap instead when it has just marked it.
  expect(seen).toContain(MINOR)
  expect(runInNewContext('typeof gc')).toBe('undefined')
})
