import { QueryClient } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PrintStore } from '../src/api/print-orders.ts'
import { findLastStore, findStoresHere, rememberStore } from '../src/features/print-wizard/actions/find-stores.ts'
import { chosenStore } from '../src/features/print-wizard/order.ts'
import { CompleteStep } from '../src/features/print-wizard/steps/complete-step.tsx'
import {
  chooseForAll,
  chooseStore,
  edit,
  storesFound,
  storesToChoose,
} from '../src/features/print-wizard/wizard-state.ts'
import { activity, change, draft, setOrder } from '../src/features/print-wizard/wizard-store.ts'
import { forgetLastStore } from '../src/photos/printing.ts'
import { PRODUCTS, STORE, withStore, wizardWith } from './print-fixture.ts'

const LAST: PrintStore = {
  ...STORE,
  storeNum: '4102',
  storeName: 'Duluth Downtown',
  latitude: '46.79',
  longitude: '-92.1',
}
const OTHER: PrintStore = { ...STORE, storeNum: '9', distance: '3.0' }
const HERE = { position: { latitude: '41.9', longitude: '-87.6' }, place: 'Chicago', prints: '' }

/** The bodies of the searches for stores, and the stores that they find. */
let searches: { latitude: string; longitude: string; productDetails: unknown }[]
let found: PrintStore[]
let positionError: number

beforeEach(() => {
  ;[searches, found, positionError] = [[], [], 1]
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  vi.stubGlobal('fetch', async (_path: string, init: RequestInit) => {
    searches.push(JSON.parse(init.body as string))
    return Response.json({ photoStores: found.map((photoStoreDetails) => ({ photoStoreDetails })) })
  })
  vi.stubGlobal('navigator', {
    geolocation: { getCurrentPosition: (_: unknown, fail: (error: object) => void) => fail({ code: positionError }) },
  })
  open()
})

afterEach(() => {
  setOrder(null)
  vi.unstubAllGlobals()
})

function open(userId = 7): void {
  setOrder({ ...chooseForAll(wizardWith(1), { productId: PRODUCTS[0]?.productId ?? null }), userId, step: 'stores' })
}

/** An order in which the user goes on with the last store, and the next one. */
function orderAgain(userId = 7): void {
  change(storesFound, { ...HERE, stores: [OTHER, LAST] })
  change(chooseStore, LAST.storeNum)
  rememberStore()
  open(userId)
}

const choices = () => storesToChoose(draft.get() ?? wizardWith(1)).map(({ storeNum }) => storeNum)

describe("the browser's position", () => {
  test.each([
    [1, /^Location access denied\. .*enter your ZIP code below\.$/],
    [2, /^Location unavailable\. .*Or enter your ZIP code below\.$/],
    [3, /^Location request timed out\. Please enter your ZIP code, city, or state below\.$/],
  ])('that is not told (%i) is an error only for those who asked for it', async (code, text) => {
    positionError = code
    await findStoresHere(new QueryClient(), true)
    expect(draft.get()?.error).toBeNull()
    expect(activity.get().busy).toBeNull()
    await findStoresHere(new QueryClient())
    expect(draft.get()?.error).toMatch(text)
  })
})

describe('the last store', () => {
  test('is offered again with its present promise time, for the prints of this order', async () => {
    orderAgain()
    found = [OTHER, { ...LAST, promiseTime: '12-01-2026 5:00 PM', distance: '0.0' }]
    await findLastStore()
    const { latitude, longitude } = LAST
    expect(searches).toMatchObject([
      { latitude, longitude, productDetails: [{ productId: PRODUCTS[0]?.productId, qty: 1 }] },
    ])
    expect(choices()).toEqual([LAST.storeNum])
    change(chooseStore, LAST.storeNum)
    expect(chosenStore(draft.get() ?? wizardWith(1))).toMatchObject({
      promiseTime: '12-01-2026 5:00 PM',
      distance: null,
    })
  })

  test('stays chosen when a search elsewhere ends, and is the first of one that has it', async () => {
    orderAgain()
    found = [LAST]
    await findLastStore()
    change(chooseStore, LAST.storeNum)
    change(storesFound, { ...HERE, stores: [OTHER] })
    expect(choices()).toEqual([LAST.storeNum, OTHER.storeNum])
    expect(draft.get()?.storeNum).toBe(LAST.storeNum)
    change(storesFound, { ...HERE, stores: [OTHER, { ...LAST, distance: '4.0' }] })
    expect(storesToChoose(draft.get() ?? wizardWith(1))[0]).toMatchObject({ storeNum: LAST.storeNum, distance: '4.0' })
    expect(choices()).toHaveLength(2)
  })

  test('is asked about once, and again for other prints', async () => {
    orderAgain()
    found = [LAST]
    await findLastStore()
    await findLastStore()
    expect(searches).toHaveLength(1)
    change(chooseForAll, { quantity: 5 })
    found = []
    await findLastStore()
    expect(searches).toHaveLength(2)
    expect(choices()).toEqual([])
  })

  test('is asked about again when the prints change during the search', async () => {
    orderAgain()
    const promise = (quantity: number) => [{ ...LAST, promiseTime: `for ${quantity}` }]
    found = promise(1)
    const first = findLastStore()
    change(chooseForAll, { quantity: 5 })
    found = promise(5)
    await findLastStore()
    await first
    expect(searches).toMatchObject([{ productDetails: [{ qty: 1 }] }, { productDetails: [{ qty: 5 }] }])
    expect(draft.get()?.lastStore?.store.promiseTime).toBe('for 5')
    expect(activity.get().findingLastStore).toBe(false)
  })

  test.each<[string, () => void]>([
    ['when it does not have the prints', () => orderAgain()],
    [
      'after a logout',
      () => {
        orderAgain()
        found = [LAST]
        forgetLastStore(7)
      },
    ],
    [
      'when the partner cannot be asked',
      () => {
        orderAgain()
        vi.stubGlobal('fetch', () => Promise.reject(new TypeError('network')))
      },
    ],
    [
      'to another user',
      () => {
        orderAgain(8)
        found = [LAST]
      },
    ],
    [
      'when there was none',
      () => {
        found = [LAST]
      },
    ],
  ])('is not offered %s', async (_when, prepare) => {
    prepare()
    await findLastStore()
    expect(choices()).toEqual([])
    expect(draft.get()?.error).toBeNull()
    expect(activity.get().findingLastStore).toBe(false)
  })
})

test('a placed order names its store', () => {
  const outcome = { vendorOrderId: '8001', orderStatus: 'submitted' }
  setOrder(edit(withStore(wizardWith(1)), { step: 'complete', outcome }))
  expect(renderToStaticMarkup(createElement(CompleteStep))).toContain(STORE.storeName)
})
