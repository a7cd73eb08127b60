import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import exifr from 'exifr'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { root } from '../local/paths.ts'

const folder = join(root, 'deploy/local/demo/pictures')
const files = (await readdir(folder)).filter((name) => name.endsWith('.jpg')).map((name) => join(folder, name))

interface Shot {
  Model: string
  latitude: number
  longitude: number
  RelativeAltitude: number
  DateTimeOriginal: Date
}

const shots = await Promise.all(files.map((file) => exifr.parse(file, { xmp: true }) as Promise<Shot>))

test('The pictures of the demo are small, and 1,920 pixels wide', async () => {
  expect(files).toHaveLength(31)
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(10_000_000)
  for (const file of files) {
    const { width, height, space } = await sharp(file).metadata()
    expect({ width, height, space }).toEqual({ width: 1920, height: 1440, space: 'srgb' })
  }
})

test('Each of them has a place, a height and a time of its own, as a drone writes them', () => {
  for (const fact of ['latitude', 'DateTimeOriginal'] as const)
    expect(new Set(shots.map((shot) => String(shot[fact]))).size).toBe(shots.length)
  for (const { RelativeAltitude } of shots) expect(RelativeAltitude).toBeGreaterThan(50)
})

test('Two flights of five pictures are among them', () => {
  const byDay = Map.groupBy(shots, ({ Model, DateTimeOriginal }) => `${Model} ${DateTimeOriginal.toDateString()}`)
  const flights = [...byDay.values()].filter(({ length }) => length > 1)
  expect(flights.map(({ length }) => length)).toEqual([5, 5])
  for (const flight of flights) {
    flight.sort((a, b) => a.DateTimeOriginal.getTime() - b.DateTimeOriginal.getTime())
    for (const [index, next] of flight.slice(1).entries()) {
      const previous = flight[index] as Shot
      // Less than what separates two flights: 15 minutes, and some 5 km.
      expect(next.DateTimeOriginal.getTime() - previous.DateTimeOriginal.getTime()).toBeLessThan(15 * 60_000)
      expect(Math.hypot(next.latitude - previous.latitude, next.longitude - previous.longitude)).toBeLessThan(0.03)
    }
  }
})
