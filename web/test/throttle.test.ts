import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttle } from '../src/api/refresh-on-events.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const pace = { gatherMs: 100, pauseMs: 2_000 }

test('runs once for a burst of triggers, and again only after the pause', async () => {
  let runs = 0
  const { trigger } = throttle(async () => void runs++, pace)
  for (let asked = 0; asked < 500; asked++) {
    trigger()
    await vi.advanceTimersByTimeAsync(10)
  }
  // Five seconds: at 0.1 s, 2.1 s and 4.1 s.
  expect(runs).toBe(3)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(runs).toBe(4)
})

test('does not overlap runs, and runs again after a slow run that was triggered meanwhile', async () => {
  let runs = 0
  let end = () => {}
  const { trigger } = throttle(() => {
    runs++
    return new Promise<void>((resolve) => {
      end = resolve
    })
  }, pace)
  trigger()
  await vi.advanceTimersByTimeAsync(100)
  trigger()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs).toBe(1)
  end()
  await vi.advanceTimersByTimeAsync(1_999)
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(runs).toBe(2)
})

test('continues after a failed run, and runs nothing after stop', async () => {
  let runs = 0
  const { trigger, stop } = throttle(async () => {
    runs++
    throw new Error('the server is away')
  }, pace)
  trigger()
  await vi.advanceTimersByTimeAsync(100)
  trigger()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(runs).toBe(2)
  trigger()
  stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs).toBe(2)
})
