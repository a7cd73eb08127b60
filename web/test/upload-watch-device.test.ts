import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchDevice } from '../src/features/upload/transport/device.ts'
import { advance } from './upload-fixture.ts'

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
const queue = { wake: vi.fn(), look: vi.fn() }
let stop = () => {}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  for (const name of ['addEventListener', 'removeEventListener'] as const) vi.stubGlobal(name, page[name].bind(page))
  stop = watchDevice(queue)
})
afterEach(() => {
  stop()
  vi.clearAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('a device that comes online, or has slept, wakes the queue', async () => {
  page.dispatchEvent(new Event('online'))
  expect(queue.wake).toHaveBeenCalledTimes(1)
  vi.setSystemTime(Date.now() + 3_600_000)
  await advance(10_000)
  expect(queue.wake).toHaveBeenCalledTimes(2)
  vi.setSystemTime(Date.now() + 3_600_000)
  page.dispatchEvent(new Event('visibilitychange'))
  await advance()
  expect(queue.wake).toHaveBeenCalledTimes(3)
  expect(queue.look).not.toHaveBeenCalled()
})

test('a page that was hidden is only looked at, also when its timers were late by a minute', async () => {
  vi.setSystemTime(Date.now() + 55_000)
  await advance(10_000)
  page.dispatchEvent(new Event('visibilitychange'))
  expect(queue.look).toHaveBeenCalledTimes(1)
  expect(queue.wake).not.toHaveBeenCalled()
})
