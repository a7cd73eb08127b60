import { describe, expect, test } from 'vitest'
import { isOpenNow, minutesOfDay, readyTime } from '../src/features/print-wizard/store-texts.ts'

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

  test.each([
    // Standard time: 8:30 in Denver and Phoenix is 15:30 UTC; in summer Phoenix stays there.
    ['MST', 'AZ', '2026-07-10T14:30:00Z', false],
    ['MST', 'CO', '2026-07-10T14:30:00Z', true],
    ['MT', 'AZ', '2026-07-10T15:30:00Z', true],
    ['AST', 'PR', '2026-07-10T12:30:00Z', true],
    ['AST', undefined, '2026-07-10T12:30:00Z', true],
    ['AST', 'AK', '2026-07-10T12:30:00Z', false],
    ['AKST', undefined, '2026-07-10T16:30:00Z', true],
    ['America/Denver', 'AZ', '2026-07-10T14:30:00Z', true],
    ['', 'HI', '2026-07-10T18:30:00Z', true],
  ])('is open by the clock of its state: %s in %s at %s is %s', (timeZone, state, time, open) => {
    expect(isOpenNow({ ...store, timeZone, state }, at(time))).toBe(open)
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
