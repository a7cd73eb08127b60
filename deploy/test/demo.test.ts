import sharp from 'sharp'
import { expect, test } from 'vitest'
import { FLIGHTS } from '../local/demo/flights.ts'
import { renderFlight } from '../local/demo/render.ts'

test('shows enough pictures, each once and in a place of its own', () => {
  expect(FLIGHTS.length).toBeGreaterThanOrEqual(24)
  for (const facts of ['title', 'scene', 'latitude', 'takenAt'] as const) {
    expect(new Set(FLIGHTS.map((flight) => flight[facts])).size).toBe(FLIGHTS.length)
  }
})

test('renders the same colour picture each time', async () => {
  const flight = FLIGHTS.find(({ title }) => title === 'Yachts at rest')
  if (!flight) throw new Error('The flight is missing.')
  const picture = await renderFlight(flight)
  const { width, height, space } = await sharp(picture).metadata()
  expect({ width, height, space }).toEqual({ width: 2000, height: 1500, space: 'srgb' })
  expect(picture.equals(await renderFlight(flight))).toBe(true)
})
