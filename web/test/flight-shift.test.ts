import { expect, test } from 'vitest'
import { shiftSince } from '../src/features/flights/use-flight-shift.ts'

const BEFORE = { 1: { latitude: 46, longitude: 179.9999 }, 2: { latitude: 46.001, longitude: 180 } }
const at = (photoId: number, latitude: number, longitude: number) => ({ photoId, latitude, longitude })

test('a flight was shifted by the way that its remembered photos were moved, across the date line too', () => {
  const shift = shiftSince(BEFORE, [at(1, 46.0002, -179.9999), at(2, 46.0012, -179.9998), at(3, 0, 0)])
  expect(shift?.way.latitude).toBeCloseTo(0.0002, 7)
  expect(shift?.way.longitude).toBeCloseTo(0.0002, 7)
  expect(shift?.places).toEqual(BEFORE)
})

test('photos that a shift has not reached, and those that came later, are not moved back', () => {
  const shift = shiftSince(BEFORE, [at(1, 46.0002, 179.9999), at(2, 46.001, 180), at(3, 46.1, 10)])
  expect(shift?.places).toEqual({ 1: BEFORE[1] })
})

test('a photo that was corrected since stays where it is', () => {
  const before = { ...BEFORE, 3: { latitude: 46.002, longitude: 180 } }
  const shift = shiftSince(before, [at(1, 46.5, 179), at(2, 46.0012, 180), at(3, 46.0022, 180)])
  expect(shift?.way.latitude).toBeCloseTo(0.0002, 7)
  expect(Object.keys(shift?.places ?? {})).toEqual(['2', '3'])
})

test.each([
  ['were not moved', [at(1, 46, 179.9999), at(2, 46.001, -180)]],
  ['were moved by different ways', [at(1, 46.0002, 179.9999), at(2, 46.0005, 180)]],
  ['are gone', [at(3, 46, 179.9999)]],
])('no shift can be undone where the remembered photos %s', (_what, track) => {
  expect(shiftSince(BEFORE, track)).toBeNull()
  expect(shiftSince(null, track)).toBeNull()
})
