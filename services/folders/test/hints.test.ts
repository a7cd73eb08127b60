import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHints } from '../src/hints.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('sends hints for a busy folder four times a second, including its last change, and for a quiet one at once', () => {
  const sent: { folderId: number; at: number }[] = []
  const start = Date.now()
  const hints = createHints((folderId) => sent.push({ folderId, at: Date.now() - start }))
  for (let at = 0; at < 1000; at += 10) {
    hints.changed(1, 7)
    if (at === 500) hints.changed(2, 7)
    vi.advanceTimersByTime(10)
  }
  vi.advanceTimersByTime(2000)
  expect(sent.filter((hint) => hint.folderId === 1).map((hint) => hint.at)).toEqual([0, 250, 500, 750, 1000])
  expect(sent.filter((hint) => hint.folderId === 2).map((hint) => hint.at)).toEqual([500])
})

test('sends pending hints on stop', () => {
  const sent: number[][] = []
  const hints = createHints((folderId, ownerId) => sent.push([folderId, ownerId]))
  hints.changed(1, 7)
  hints.stop()
  expect(sent).toEqual([[1, 7]])
  hints.changed(1, 7)
  hints.changed(1, 7)
  hints.stop()
  vi.advanceTimersByTime(1000)
  expect(sent).toEqual([
    [1, 7],
    [1, 7],
    [1, 7],
  ])
})
