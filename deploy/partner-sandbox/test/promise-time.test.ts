import { describe, expect, test } from 'vitest'
import { localText, promise, SENTINEL, toLocal } from '../src/catalog/promise-time.ts'
import { findStore, findStores, type Store } from '../src/catalog/stores.ts'
import { HOUR, MINUTE } from '../src/state/clock.ts'

const store = findStore('4101') as Store

describe('promise times', () => {
  test.each([
    ['on a usual day', '2026-11-20'],
    ['when the clocks go back', '2026-10-31'],
    ['when the clocks go forward', '2027-03-13'],
  ])('are within the hours and soon enough %s', (_when, day) => {
    const begin = Date.parse(`${day}T00:00:00-06:00`)
    for (let now = begin; now < begin + 48 * HOUR; now += 7 * MINUTE) {
      const { readyAt, text } = promise(store, now, 10)
      const { minutes } = toLocal(readyAt, store.timeZone)
      expect(minutes).toBeGreaterThanOrEqual(store.opensAt + 60)
      expect(minutes).toBeLessThanOrEqual(store.closesAt)
      expect(minutes % 15).toBe(0)
      expect(readyAt - now).toBeGreaterThanOrEqual(60 * MINUTE)
      expect(readyAt - now).toBeLessThanOrEqual(14 * HOUR)
      expect(text).toBe(localText(readyAt, store.timeZone))
    }
  })

  test('are written as the partner writes them', () => {
    const promised = promise(store, Date.parse('2026-11-22T18:10:00Z'), 1)
    expect(promised.text).toBe('11-22-2026 1:15 PM')
    expect(promise({ ...store, isUnscheduled: true }, Date.now(), 1).text).toBe(SENTINEL)
  })
})

describe('stores', () => {
  test('are found by their number, wherever they were found by position', () => {
    const positions = [
      [46.8, -92],
      [40.7, -74],
      [21.3, -157.8],
      [48.8, 2.3],
      [-33.9, 151.2],
    ]
    for (const [latitude = 0, longitude = 0] of positions) {
      const found = findStores({ latitude, longitude })
      expect(found.length).toBeGreaterThan(2)
      for (const { store } of found) expect(findStore(store.storeNum)).toEqual(store)
    }
  })

  test.each(['', '0', '4100', '12345678', '-1', '999999', '1000000x'])('none has the number "%s"', (storeNum) => {
    expect(findStore(storeNum)).toBeUndefined()
  })
})
