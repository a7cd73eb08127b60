import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRepeatedLines, type Line } from '../src/process/repeated-lines.ts'

const MINUTE_MS = 60_000
const written: [string, object][] = []
const loggerOf = (name: string) => {
  const write = (fields: object, message = '') => void written.push([`${name}: ${message}`, fields])
  return { info: write, warn: write, error: write } as never
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  written.length = 0
})

function line(network: string | undefined, kind = 'votes'): Line {
  return { kind, ...(network && { network }), level: 'warn', fields: { kind }, message: 'rejected' }
}

test('a line is written at once, and then one a minute says how many followed', () => {
  const lines = createRepeatedLines(loggerOf('process'))
  const note = () => lines.log(line('192.0.2.1'), () => loggerOf('request'))
  for (let times = 0; times < 1_000; times += 1) note()
  expect(written).toEqual([['request: rejected', { kind: 'votes', network: '192.0.2.1' }]])
  vi.advanceTimersByTime(MINUTE_MS)
  expect(written[1]).toEqual(['process: rejected', { kind: 'votes', network: '192.0.2.1', repeated: 999 }])
  note()
  vi.advanceTimersByTime(MINUTE_MS)
  expect(written.slice(2)).toEqual([['process: rejected', { kind: 'votes', network: '192.0.2.1', repeated: 1 }]])
  vi.advanceTimersByTime(10 * MINUTE_MS)
  expect(written).toHaveLength(3)
  expect(vi.getTimerCount()).toBe(0)
  note()
  expect(written).toHaveLength(4)
})

test('kinds and networks are told apart', () => {
  const lines = createRepeatedLines(loggerOf('process'))
  for (const given of [line('a'), line('b'), line('a', 'pages'), line(undefined), line('a')]) lines.log(given)
  expect(written.map(([, fields]) => fields)).toEqual([
    { kind: 'votes', network: 'a' },
    { kind: 'votes', network: 'b' },
    { kind: 'pages', network: 'a' },
    { kind: 'votes' },
  ])
})

test('the networks beyond a bound share a line for each kind', () => {
  const lines = createRepeatedLines(loggerOf('process'), MINUTE_MS, 2)
  for (let network = 0; network < 100; network += 1) lines.log(line(`${network}`))
  expect(written.map(([, fields]) => (fields as Line).network)).toEqual(['0', '1', 'others'])
  vi.advanceTimersByTime(MINUTE_MS)
  expect(written.slice(3)).toEqual([['process: rejected', { kind: 'votes', network: 'others', repeated: 97 }]])
})

test('closing writes what was counted, and leaves no timer', () => {
  const lines = createRepeatedLines(loggerOf('process'))
  for (let times = 0; times < 3; times += 1) lines.log(line('a'))
  lines.log(line('b'))
  lines.close()
  expect(written.slice(2)).toEqual([['process: rejected', { kind: 'votes', network: 'a', repeated: 2 }]])
  expect(vi.getTimerCount()).toBe(0)
})
