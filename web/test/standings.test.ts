import { expect, test } from 'vitest'
import { standings, type Tally } from '../src/features/folders/standings.ts'

const photos = [
  { id: 1, createdAt: '2026-06-01T10:00:00Z' },
  { id: 2, createdAt: '2026-06-01T10:00:01Z' },
  { id: 3, createdAt: '2026-06-01T10:00:02Z' },
]

function tally(photoId: number, first: number, second: number, third: number): Tally {
  return { photoId, first, second, third, points: 3 * first + 2 * second + third, voters: first + second + third }
}

function order(tallies: Tally[]): number[] {
  return standings(photos, tallies).map((row) => row.photo.id)
}

test('photos are sorted by points, whatever the order of the tallies', () => {
  expect(order([tally(1, 0, 1, 0), tally(3, 2, 0, 0), tally(2, 1, 0, 0)])).toEqual([3, 2, 1])
})

test('a tie goes to more firsts, then to more seconds, then to the earlier upload', () => {
  expect(order([tally(1, 0, 0, 3), tally(2, 0, 1, 1), tally(3, 1, 0, 0)])).toEqual([3, 2, 1])
  expect(order([tally(1, 0, 1, 0), tally(2, 0, 1, 0)])).toEqual([1, 2, 3])
})

test('every photo has a row, and an unranked one has no position', () => {
  const rows = standings(photos, [tally(2, 1, 1, 0)])
  expect(rows.map((row) => row.position)).toEqual([1, null, null])
  expect(rows[1]).toMatchObject({ first: 0, second: 0, third: 0, points: 0, fraction: 0 })
})

test('bars are relative to the leader', () => {
  const rows = standings(photos, [tally(1, 2, 0, 0), tally(2, 1, 0, 0)])
  expect(rows.map((row) => row.fraction)).toEqual([1, 0.5, 0])
})

test('tallies of photos that have left the folder are ignored', () => {
  expect(order([tally(99, 5, 0, 0), tally(2, 0, 0, 1)])).toEqual([2, 1, 3])
})
