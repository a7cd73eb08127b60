import { describe, expect, test } from 'vitest'
import type { AccountDeletion } from '../src/api/types.ts'
import { describeAction, describeDetail } from '../src/features/admin/audit-tab.tsx'
import { describeService, isHeldUp, nameOf, waitsForOrder } from '../src/features/admin/deletions-tab.tsx'
import { CHART, pathsOf, pointsOf, rangeOf } from '../src/features/admin/history-chart.tsx'

describe('the chart of a figure', () => {
  test('begins at zero unless the values are far from it', () => {
    expect(rangeOf([0, 10])).toEqual({ low: 0, high: 10 })
    expect(rangeOf([1000, 1010, 1020])).toEqual({ low: 995, high: 1020 })
    expect(rangeOf([5, 5])).toEqual({ low: 0, high: 10 })
    expect(rangeOf([0])).toEqual({ low: 0, high: 1 })
  })

  test('spans the width, with the highest value at the top', () => {
    const points = pointsOf([0, 5, 10])
    expect(points.map(({ x }) => x)).toEqual([0, CHART.width / 2, CHART.width])
    expect(points[0]?.y).toBe(CHART.height - CHART.bottom)
    expect(points[2]?.y).toBe(CHART.top)
  })

  test('closes the area at the bottom', () => {
    const points = [
      { x: 0, y: 10 },
      { x: 30, y: 5 },
    ]
    expect(pathsOf(points)).toEqual({ line: 'M0 10L30 5', area: `M0 10L30 5L30 ${CHART.height}L0 ${CHART.height}Z` })
  })
})

test('an action has words, or its code where it is not known', () => {
  expect(describeAction('photo.viewed')).toBe('Looked at a private photo')
  expect(describeAction('toString')).toBe('toString')
})

test('a detail has words for the names of fields, and sizes', () => {
  expect(describeDetail('firstName, email')).toBe('First name, email')
  expect(describeDetail('12 photos')).toBe('12 photos')
  expect(describeDetail('20971520 bytes')).toBe('20.00 MB')
})

describe('a deletion', () => {
  const since = '2026-11-22T12:00:00Z'
  const at = (minutes: number) => Date.parse(since) + minutes * 60_000
  const open = { service: 'print-orders', complete: false, waitsFor: '', changedAt: null } as const
  const erasing: AccountDeletion = {
    userId: 12,
    username: null,
    requestedAt: '2026-11-15T12:00:00Z',
    deletesAt: since,
    byAdmin: true,
    status: 'erasing',
    erasingSince: since,
    services: [open],
  }

  test('is held up when a service waits, or is silent for ten minutes', () => {
    expect(isHeldUp(erasing, at(1))).toBe(false)
    expect(isHeldUp(erasing, at(11))).toBe(true)
    expect(isHeldUp({ ...erasing, services: [{ ...open, waitsFor: 'Waits.' }] }, at(1))).toBe(true)
    expect(isHeldUp({ ...erasing, status: 'requested', erasingSince: null }, at(11))).toBe(false)
  })

  test('leads to the orders that must be resolved', () => {
    const waitsFor = 'An order whose outcome is unknown must be resolved first.'
    expect(waitsForOrder({ ...open, waitsFor })).toBe(true)
    expect(waitsForOrder({ ...open, waitsFor, complete: true })).toBe(false)
    expect(waitsForOrder({ ...open, service: 'media', waitsFor })).toBe(false)
    expect(waitsForOrder({ ...open, waitsFor: 'The partner may still fetch images.' })).toBe(false)
  })

  test('says how far each service is', () => {
    expect(describeService(open)).toBe('Not confirmed yet')
    expect(describeService({ ...open, waitsFor: 'Waits.' })).toBe('Waits.')
    expect(describeService({ ...open, complete: true })).toBe('Erased')
  })

  test('has the id of a user whose name is erased', () => {
    expect(nameOf(erasing)).toBe('User 12')
    expect(nameOf({ ...erasing, username: 'pilot' })).toBe('pilot')
  })
})
