import { expect, test } from 'vitest'
import { keyOfList, sectionQuery } from '../src/api/photo-lists.ts'
import {
  allPhotos,
  countFilters,
  isFiltered,
  listOf,
  NO_FILTERS,
  readFilters,
  serverFilter,
  writeFilters,
} from '../src/photos/browser/filters.ts'

const read = (text: string) => readFilters(new URLSearchParams(text), 'newest')
const NOW = new Date(2026, 10, 21, 20, 30)

test('an address without filters shows all photos, the newest first', () => {
  expect(read('')).toEqual({ ...NO_FILTERS, sort: 'newest' })
  expect(sectionQuery(allPhotos('newest'), { limit: 48 })).toEqual({ sort: 'newest', limit: 48 })
})

test('filters are written into the address and read from it again; other parts stay', () => {
  const filters = {
    q: 'Café & lake',
    location: 'Duluth, Minnesota',
    camera: 'L2D-20c',
    from: 'week',
    taken: '2026-03-04/2026-03-15',
    folder: '12',
    area: '-92.1,46.7,-91.9,46.9',
    near: '46.8,-92,500',
    flight: '7',
    sort: 'oldest',
  } as const
  const search = writeFilters(new URLSearchParams('folder=7&q=old'), filters, 'newest')
  expect(search.get('folder')).toBe('7')
  expect(readFilters(search, 'newest')).toEqual(filters)
})

test('values that filter nothing are not in the address', () => {
  const search = writeFilters(
    new URLSearchParams('q=a&location=b&camera=c&from=week&in=none&sort=oldest'),
    read(''),
    'newest',
  )
  expect(search.toString()).toBe('')
})

test('invalid values in an address are ignored', () => {
  expect(read(`from=constructor&sort=sideways&q=${'x'.repeat(300)}`)).toMatchObject({ from: '', sort: 'newest' })
  expect(read(`q=${'x'.repeat(300)}`).q).toHaveLength(100)
})

test('dates reach back to the start of the day in the zone of the browser', () => {
  const start = (from: string) => new Date(serverFilter(read(`from=${from}`), NOW).from ?? '')
  expect(start('today')).toEqual(new Date(2026, 10, 21))
  expect(start('week')).toEqual(new Date(2026, 10, 14))
  expect(start('month')).toEqual(new Date(2026, 9, 22))
  expect(start('year')).toEqual(new Date(2025, 10, 21))
})

test('a range of days counts by the date taken, in either order and with one end', () => {
  expect(serverFilter(read('taken=2026-03-15/2026-03-04'))).toEqual({ takenFrom: '2026-03-04', takenTo: '2026-03-15' })
  expect(read('taken=2026-03-15/2026-03-04').taken, 'while it is typed').toBe('2026-03-15/2026-03-04')
  expect(serverFilter(read('taken=2026-03-04/'))).toEqual({ takenFrom: '2026-03-04' })
  expect(serverFilter(read('taken=/2026-03-04'))).toEqual({ takenTo: '2026-03-04' })
  for (const none of ['', '/', 'x/y', '0202-03-04/', '2026-02-45']) expect(read(`taken=${none}`).taken).toBe('')
})

test('the list stays the same for a whole day, so that it is read once', () => {
  const evening = listOf(read('from=week'), null, new Date(2026, 10, 21, 23, 59))
  expect(keyOfList(listOf(read('from=week'), null, NOW))).toBe(keyOfList(evening))
  expect(keyOfList(listOf(read('from=week'), null, NOW))).not.toBe(keyOfList(listOf(read('from=month'), null, NOW)))
})

test('a folder and the photos without one are filters of the server', () => {
  expect(serverFilter(read('in=7'))).toEqual({ folder: '7' })
  expect(serverFilter(read('in=none'))).toEqual({ folder: 'none' })
  expect([read('in=0').folder, read('in=x').folder, read('in=7').folder]).toEqual(['', '', '7'])
  expect(sectionQuery(listOf(read('in=7&sort=taken-oldest')), { limit: 48 })).toEqual({
    ...{ sort: 'taken-oldest', folder: '7', limit: 48 },
  })
})

test('a camera is a filter of the server, which knows how many photos of it a gallery has, but not a folder', () => {
  const list = listOf(read('camera=+L2D-20c+'))
  expect(list.filter).toEqual({ camera: 'L2D-20c' })
  expect(countFilters(read('camera=L2D-20c&from=week'))).toBe(2)
  const limits = [list, listOf(read('camera=a'), 7), listOf(read('camera=a&in=7')), listOf(read('camera=a&location=b'))]
  expect(limits.map((some) => sectionQuery(some, { limit: 48 }).countTo)).toEqual([undefined, 1000, 1000, 1000])
  const lengths = [listOf(read(''), 7), listOf(read('in=7')), listOf(read('location=b')), listOf(read('location=b'), 7)]
  expect(lengths.map((some) => sectionQuery(some, { limit: 48 }).countTo)).toEqual([
    undefined,
    undefined,
    undefined,
    1000,
  ])
})

test('an area, a circle and a flight are filters of the server; others are ignored', () => {
  const search = 'area=170,-20,-170,-10&near=-17.5,179.9,2000&flight=12'
  const filter = { area: '170,-20,-170,-10', near: '-17.5,179.9,2000', flight: '12' }
  expect(serverFilter(read(search))).toEqual(filter)
  expect(sectionQuery(listOf(read('area=1,2,3,4')), { limit: 48 })).toEqual({
    ...{ sort: 'newest', area: '1,2,3,4', limit: 48, countTo: 1000 },
  })
  const invalid = [
    'area=1,2,3',
    'area=1,5,3,4',
    'area=1,2,181,4',
    'area=1,2,x,4',
    'near=91,0,5',
    'near=1,2,0',
    'flight=-1',
  ]
  for (const text of invalid) expect([text, serverFilter(read(text))]).toEqual([text, {}])
})

test('the photos of a folder have the same filters, but none by folder', () => {
  const list = listOf(read('in=9&q=lake'), 7, NOW)
  expect(sectionQuery(list, { limit: 48 })).toEqual({ sort: 'newest', q: 'lake', limit: 48, countTo: 200 })
})

test('the sort order is not a filter', () => {
  expect(
    [read('sort=oldest'), read('q=a'), read('location=b'), read('camera=c'), read('from=today'), read('in=7')].map(
      isFiltered,
    ),
  ).toEqual([false, true, true, true, true, true])
  expect(serverFilter(read('sort=oldest'))).toEqual({})
})

test('the default sort of the user holds without one in the address, and the other one is written', () => {
  expect(readFilters(new URLSearchParams(''), 'oldest').sort).toBe('oldest')
  expect(readFilters(new URLSearchParams('sort=newest'), 'oldest').sort).toBe('newest')
  expect(readFilters(new URLSearchParams('sort=sideways'), 'oldest').sort).toBe('oldest')
  expect(writeFilters(new URLSearchParams(), read('sort=newest'), 'oldest').toString()).toBe('sort=newest')
  expect(writeFilters(new URLSearchParams('sort=newest'), read('sort=oldest'), 'oldest').toString()).toBe('')
})
