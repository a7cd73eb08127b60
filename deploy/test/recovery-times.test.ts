import { describe, expect, test } from 'vitest'
import { recoveryTime, type Sample } from '../checks/topology/probes.ts'

const succeeded = (startedAt: number, endedAt = startedAt + 10): Sample => ({ startedAt, endedAt })
const failed = (startedAt: number, endedAt = startedAt + 10): Sample => ({ startedAt, endedAt, failure: '503' })

describe('the time to recover from a fault', () => {
  test.each<[string, Sample[], number | null]>([
    ['is 0 when no request failed', [succeeded(900), succeeded(1_100)], 0],
    [
      'ends with the first success after the last failure',
      [failed(1_100), succeeded(1_350), failed(1_600), succeeded(1_850)],
      860,
    ],
    ['counts a request that was on its way', [failed(900, 2_900), succeeded(1_150)], 160],
    ['ends with the success that was answered first', [failed(1_100), succeeded(1_350, 3_000), succeeded(1_600)], 610],
    ['counts a failure only where it ended', [succeeded(1_100), failed(1_900, 3_900), succeeded(4_000)], 0],
    ['leaves out failures before the fault and after the time', [failed(500), succeeded(1_100), failed(3_100)], 0],
    ['is null when nothing succeeded any more', [succeeded(900), failed(1_100)], null],
  ])('%s', (_name, samples, expected) => {
    expect(recoveryTime(samples, { from: 1_000, until: 3_000 })).toBe(expected)
  })
})
