import { describe, expect, test } from 'vitest'
import { isOpenNow, minutesOfDay, readyTime } from '../src/features/print-wizard/store-times.ts'

const at = (iso: string) => new Date(iso)
const store = { openTime: '8:00 AM', closeTime: '10:00 PM', timeZone: 'America/Chicago' }

describe('a store', () => {
  test('is open by its own clock', () => {
    expect(isOpenNow(store, at('2026-01-10T14:30:00Z'))).toBe(true) // 8:30 in Chicago
    expect(isOpenNow(store, at('2026-01-10T13:30:00Z'))).toBe(false)
    expect(isOpenNow(store, at('2026-01-11T04:00:00Z'))).toBe(false) // 22:00
  })

  test('is open by the clock that an abbreviation stands for, summer time included', () => {
    expect(isOpenNow({ ...store, timeZone: 'CST' }, at('2026-07-10T13:30:00Z'))).toBe(true)
    expect(isOpenNow({ ...store, timeZone: 'PT' }, at('2026-07-10T13:30:00Z'))).toBe(false)
  })

  test('is open past midnight and around the clock', () => {
    const late = { ...store, openTime: '6:00 PM', closeTime: '2:00 AM' }
    expect(isOpenNow(late, at('2026-01-10T07:00:00Z'))).toBe(true)
    expect(isOpenNow(late, at('2026-01-10T09:00:00Z'))).toBe(false)
    expect(isOpenNow({ ...store, openTime: '12:00 AM', closeTime: '12:00 AM' }, at('2026-01-10T09:00:00Z'))).toBe(true)
  })

  test('has the default hours when it names none', () => {
    expect(isOpenNow({ openTime: null, closeTime: '', timeZone: 'America/Chicago' }, at('2026-01-10T14:30:00Z'))).toBe(
      true,
    )
  })

  test('is neither open nor closed when its hours or its zone cannot be read', () => {
    expect(isOpenNow({ ...store, openTime: 'by appointment' }, at('2026-01-10T14:30:00Z'))).toBeNull()
    expect(isOpenNow({ ...store, timeZone: 'Somewhere' }, at('2026-01-10T14:30:00Z'))).toBeNull()
  })
})

test.each([
  ['8:00 AM', 480],
  ['12:00 AM', 0],
  ['12:30 pm', 750],
  ['10PM', 1320],
  ['20:15', 1215],
  ['25:00', null],
])('the time of day %s is %s minutes', (text, minutes) => {
  expect(minutesOfDay(text)).toBe(minutes)
})

test('a store without a promise has the prints the same day', () => {
  expect(readyTime(null)).toBe('Same Day')
  expect(readyTime('01-01-3000 00:00 AM')).toBe('Within 48 hours')
})
