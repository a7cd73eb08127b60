import { expect, test } from 'vitest'
import type { Flight } from '../src/api/types.ts'
import {
  exactTimeOf,
  factsOf,
  folderNameOf,
  heightOf,
  summaryOf,
  timeOf,
} from '../src/features/flights/flight-texts.ts'
import { visibleRange } from '../src/features/flights/flight-track.tsx'
import { formatDuration } from '../src/lib/format.ts'
import { formatDistance } from '../src/photos/photo-facts.ts'

const flight: Flight = {
  ...{ id: 7, startedAt: '2026-06-01T23:59:30', endedAt: '2026-06-02T00:12:00', durationSeconds: 750 },
  ...{ distanceMetres: 3210, greatestHeight: 119.7, photoCount: 27, covers: [] },
  place: { city: 'Oulu', state: 'Finland' },
  bounds: { west: 25, south: 65, east: 25.1, north: 65.1 },
}

test('a flight is summed up in the units of the user', () => {
  expect(summaryOf(flight, 'metric')).toBe('27 photos · 13 min · 3.2 km · 119.7 m high')
  expect(summaryOf(flight, 'imperial')).toBe('27 photos · 13 min · 2 mi · 393 ft high')
  expect(summaryOf({ ...flight, photoCount: 1, greatestHeight: null }, 'metric')).toBe('1 photo')
  expect(Object.fromEntries(factsOf({ ...flight, greatestHeight: null }, 'metric'))).toMatchObject({
    'Greatest height': 'Not known',
  })
})

test.each([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [3_599, '1 h'],
  [3_600, '1 h'],
  [3_900, '1 h 5 min'],
])('%i seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

test.each([
  [0, '0 m', '0 ft'],
  [999, '999 m', '0.6 mi'],
  [1_000, '1 km', '0.6 mi'],
  [100, '100 m', '328 ft'],
  [12_345, '12.3 km', '7.7 mi'],
])('%i metres are %s or %s', (metres, metric, imperial) => {
  expect([formatDistance(metres, 'metric'), formatDistance(metres, 'imperial')]).toEqual([metric, imperial])
})

test('times are those of the camera, in every time zone', () => {
  expect(timeOf('2026-06-01T23:59:30')).toMatch(/^11:59\sPM$/)
  expect(exactTimeOf('2026-06-01T23:59:30')).toMatch(/^11:59:30\sPM$/)
})

test('the folder of a flight is named after place and date, within the limit of names', () => {
  expect(folderNameOf(flight)).toBe('Oulu, Finland, June 1, 2026')
  expect(folderNameOf({ ...flight, place: { city: null, state: null } })).toBe('Flight, June 1, 2026')
  expect(folderNameOf({ ...flight, place: { city: '🚁'.repeat(130), state: null } })).toBe('🚁'.repeat(120))
})

test('only photos in view and some beside them are rendered', () => {
  expect(visibleRange({ left: 0, width: 640 }, 1000)).toEqual([0, 9])
  expect(visibleRange({ left: 6_464, width: 640 }, 1000)).toEqual([46, 60])
  expect(visibleRange({ left: 127_744, width: 640 }, 1000)).toEqual([994, 1000])
  expect(visibleRange({ left: 11_520, width: 640 }, 3)).toEqual([3, 3])
})

test('a photo below the place of take-off says so', () => {
  expect(heightOf(40.1, 'metric')).toBe('40.1 m above take-off')
  expect(heightOf(-12, 'metric')).toBe('12 m below take-off')
})
