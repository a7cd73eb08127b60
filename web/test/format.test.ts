import { describe, expect, test } from 'vitest'
import {
  altText,
  countOf,
  formatBytes,
  formatCameraDate,
  formatCoordinates,
  formatDate,
  formatPlace,
  formatRelative,
} from '../src/lib/format.ts'

describe('sizes', () => {
  test.each([
    [0, '0 Bytes'],
    [1023, '1023 Bytes'],
    [1024, '1.00 KB'],
    [26_214_400, '25.00 MB'],
    [5_000_000_000, '4.66 GB'],
    [5e15, '4656612.87 GB'],
  ])('%d is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
})

describe('times', () => {
  const now = Date.parse('2026-06-15T12:00:00Z')

  test.each([
    ['2026-06-15T11:59:40Z', 'just now'],
    ['2026-06-15T11:58:00Z', '2 minutes ago'],
    ['2026-06-15T09:00:00Z', '3 hours ago'],
    ['2026-06-14T11:00:00Z', 'yesterday'],
    ['2026-06-01T12:00:00Z', '2 weeks ago'],
    ['2024-06-01T12:00:00Z', '2 years ago'],
  ])('%s was %s', (iso, text) => expect(formatRelative(iso, now)).toBe(text))

  test('are null for an invalid date', () => {
    expect(formatRelative('soon')).toBeNull()
    expect(formatRelative(null)).toBeNull()
    expect(formatDate('')).toBeNull()
    expect(formatCameraDate('0000:00:00')).toBeNull()
  })

  test("of a camera without a zone keep the camera's clock", () => {
    expect(formatCameraDate('2018-06-21T07:04:11')).toBe('June 21, 2018 at 7:04 AM')
  })

  test.each([
    ['2018-06-21T07:04:11+09:00', 'UTC+09:00'],
    ['2018-06-21T07:04:11.25-0330', 'UTC-03:30'],
    ['2018-06-21T07:04:11Z', 'UTC'],
    ['2018-06-21T07:04:11+00:00', 'UTC'],
  ])("of a camera with a zone keep the camera's clock and say its zone: %s", (iso, zone) => {
    expect(formatCameraDate(iso)).toBe(`June 21, 2018 at 7:04 AM ${zone}`)
  })
})

describe('places', () => {
  test('name city and state, or the one that is known', () => {
    expect(formatPlace({ city: 'Duluth', state: 'Minnesota' })).toBe('Duluth, Minnesota')
    expect(formatPlace({ city: null, state: 'Minnesota' })).toBe('Minnesota')
    expect(formatPlace({ city: null, state: null })).toBeNull()
  })

  test('show coordinates with six decimals', () => {
    expect(formatCoordinates('46.8426071', '-91.9941')).toBe('46.842607, -91.994100')
    expect(formatCoordinates(null, '-91.9941')).toBeNull()
  })
})

describe('words', () => {
  test('count with separators and the right number', () => {
    expect(countOf(1, 'photo')).toBe('1 photo')
    expect(countOf(1284, 'photo')).toBe('1,284 photos')
  })

  test('describe a photo by its title and place', () => {
    expect(altText({ title: 'Ore dock', city: 'Duluth', state: 'Minnesota' })).toBe('Ore dock, Duluth, Minnesota')
    expect(altText({ title: '', city: null, state: null })).toBe('Untitled photo')
  })
})
