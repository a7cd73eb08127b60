import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, type ComponentType, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { userQuery } from '../src/api/queries.ts'
import type { User } from '../src/api/types.ts'
import { findLastStore, findStoresByText, findStoresHere } from '../src/features/print-wizard/actions/find-stores.ts'
import { loadPhotos, validateAndUpload } from '../src/features/print-wizard/actions/prepare-photos.ts'
import { checkCoupon, loadProducts } from '../src/features/print-wizard/actions/prices.ts'
import { checkLastOrder, submit } from '../src/features/print-wizard/actions/submit.ts'
import { Banner } from '../src/features/print-wizard/banner.tsx'
import { attemptOf } from '../src/features/print-wizard/order.ts'
import { useMissing } from '../src/features/print-wizard/step-parts.tsx'
import { OrderStep } from '../src/features/print-wizard/steps/order-step.tsx'
import { ProductsStep } from '../src/features/print-wizard/steps/products-step.tsx'
import { StoresStep } from '../src/features/print-wizard/steps/stores-step.tsx'
import { UploadStep } from '../src/features/print-wizard/steps/upload-step.tsx'
import {
  changePhoto,
  chooseForAll,
  couponChecked,
  edit,
  openWizard,
  prefillCustomer,
  startWizard,
  typeCoupon,
  type WizardState,
} from '../src/features/print-wizard/wizard-state.ts'
import {
  type Activity,
  currentSession,
  forgetAttempt,
  keepAttempt,
  setOrder,
} from '../src/features/print-wizard/wizard-store.ts'
import { PRODUCTS, printPhoto, withStore, wizardWith } from './print-fixture.ts'

// Every request takes its time: what the wizard shows meanwhile is rendered as the server renders, before any effect.

const USER = 7
const CUSTOMER = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test', phone: '2185550100' }
/** What says that something is under way. */
const WAITING = /role="progressbar"|animate-pulse|animate-spin|Checking…/
/** What says that something went wrong, or offers to do it again. */
const FAILED = /role="alert"|Try again|Retry|aria-invalid="true"|text-danger|No stores found/

let client: QueryClient
/** Paths of the requests that wait for a response. */
let waiting: string[]
/** Responses that come at once, by the end of the path. */
let prompt: Record<string, object>

beforeEach(() => {
  client = new QueryClient()
  client.setQueryData(userQuery.queryKey, { id: USER } as User)
  waiting = []
  prompt = {}
  vi.stubGlobal('fetch', (path: string) => {
    const [, body] = Object.entries(prompt).find(([end]) => path.endsWith(end)) ?? []
    if (body) return Promise.resolve(Response.json(body))
    waiting.push(path)
    return new Promise(() => {})
  })
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  }
  vi.stubGlobal('sessionStorage', storage)
  vi.stubGlobal('localStorage', storage)
})

afterEach(() => {
  setOrder(null)
  vi.unstubAllGlobals()
})

function shown(Step: ComponentType): string {
  const content = createElement('div', null, createElement(Banner), createElement(Step))
  const router = createElement(MemoryRouter, null, content)
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, router))
}

/** Begins work that waits for its first request to this path, and returns what the step shows then. */
async function whileWaiting(state: WizardState, work: () => Promise<unknown>, Step: ComponentType, path?: string) {
  setOrder(state)
  void work()
  if (path) await vi.waitFor(() => expect(waiting.at(-1)).toContain(path))
  return shown(Step)
}

const readyOrder = () => {
  const state = withStore(chooseForAll(wizardWith(1), { productId: PRODUCTS[0]?.productId ?? null }))
  return edit(prefillCustomer(state, CUSTOMER), { termsAccepted: true, step: 'order' })
}
const failedPhoto = () => changePhoto(startWizard(USER, [printPhoto(1)]), 1, { failure: 'The file is damaged.' })
const searched = (text: string) => {
  const state = withStore(wizardWith(1))
  return edit(state, { step: 'stores', search: { ...state.search, text, stores: [] } })
}
const PLACE = { latitude: '46.8', longitude: '-92.0', display_name: 'Duluth, Minnesota' }

describe.each<[string, () => Promise<string>]>([
  [
    'photos that are read',
    () => whileWaiting(openWizard(USER, { photoIds: [1, 2] }), () => loadPhotos(client), UploadStep, '/api/photos'),
  ],
  ['an upload that is repeated', () => whileWaiting(failedPhoto(), () => validateAndUpload(client), UploadStep)],
  [
    'products',
    () => whileWaiting(startWizard(USER, [printPhoto(1)]), () => loadProducts(client), ProductsStep, '/products'),
  ],
  [
    'a location that is looked up',
    () => whileWaiting(searched('55804'), () => findStoresByText(client), StoresStep, '/geocode'),
  ],
  [
    'stores',
    () => {
      prompt = { '/geocode': PLACE }
      return whileWaiting(searched('55804'), () => findStoresByText(client), StoresStep, '/store-search')
    },
  ],
  [
    "the browser's position",
    () => {
      vi.stubGlobal('navigator', { geolocation: { getCurrentPosition() {} } })
      return whileWaiting(searched(''), () => findStoresHere(client), StoresStep)
    },
  ],
  [
    "the user's last store",
    () => {
      localStorage.setItem(`skyfolio-print-store-${USER}`, JSON.stringify({ storeNum: '1234', ...PLACE }))
      return whileWaiting(wizardWith(1), findLastStore, StoresStep, '/store-search')
    },
  ],
  [
    'a coupon that was rejected before',
    () => {
      const typed = typeCoupon(readyOrder(), 'PRINT25')
      const rejected = couponChecked(typed, { status: 'invalid', message: 'Invalid coupon code', discountCents: 0 })
      return whileWaiting(rejected, () => checkCoupon(client), OrderStep, '/validate-coupon')
    },
  ],
  ['the files of an order', () => whileWaiting(readyOrder(), () => submit(client), OrderStep, '/prepare-images')],
  [
    'an order that is placed',
    () => {
      prompt = { '/prepare-images': { images: [{ photoId: 1, status: 'ready' }] } }
      return whileWaiting(readyOrder(), () => submit(client), OrderStep, '/submit-order')
    },
  ],
  ...[UploadStep, ProductsStep, StoresStep, OrderStep].map((Step): [string, () => Promise<string>] => [
    `the last order, in ${Step.name}`,
    async () => {
      const attempt = attemptOf(readyOrder())
      keepAttempt(attempt)
      const html = await whileWaiting(readyOrder(), () => checkLastOrder(client), Step, '/submit-order')
      forgetAttempt(attempt)
      return html
    },
  ]),
])('while the wizard waits for %s', (_what, show) => {
  test('it shows that, and no failure', async () => {
    const html = await show()
    expect(html).toMatch(WAITING)
    expect(html).not.toMatch(FAILED)
  })
})

test('a step that has just begun shows its skeleton, not a failure', () => {
  setOrder(openWizard(USER, { photoIds: [1, 2] }))
  expect(shown(UploadStep)).toMatch(WAITING)
  setOrder(startWizard(USER, [printPhoto(1)]))
  const products = shown(ProductsStep)
  expect(products).toMatch(WAITING)
  expect(products).not.toMatch(FAILED)
  setOrder(edit(readyOrder(), { customer: { firstName: '', lastName: '', email: '', phone: '' } }))
  expect(shown(OrderStep)).toMatch(WAITING)
})

test('a step that begins while something else runs loads what it lacks afterwards, and has not failed before', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  // What React needs of a browser to run effects of a component that renders nothing.
  vi.stubGlobal('window', { HTMLIFrameElement: class {} })
  const root = createRoot({ nodeType: 9, addEventListener() {} } as unknown as Document)
  const step = { failed: false }
  function Step() {
    Object.assign(
      step,
      useMissing(true, () => loadProducts(client)),
    )
    return null
  }
  const setBusy = (busy: Activity['busy']) => act(async () => currentSession().setBusy(busy))

  setOrder(startWizard(USER, [printPhoto(1)]))
  await setBusy('place')
  await act(async () => root.render(createElement(Step)))
  expect(waiting).toEqual([])
  const response = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', (path: string) => {
    waiting.push(path)
    return response.promise
  })
  await setBusy(null)
  expect(waiting).toMatchObject([expect.stringContaining('/products')])
  expect(step.failed).toBe(false)
  await act(async () => response.reject(new TypeError('network')))
  expect(step.failed).toBe(true)
  expect(waiting).toHaveLength(1)
  await act(async () => root.unmount())
})

describe('photos that were to be read', () => {
  test('are in the wizard at once when the caller has them', () => {
    const photos = [printPhoto(1)]
    expect(openWizard(USER, { photoIds: [1], photos })).toMatchObject({ wanted: null, photos: [{ id: 1 }] })
  })

  test('that exist no more are named in the banner', async () => {
    prompt = { 'ids=1%2C2': [] }
    setOrder(openWizard(USER, { photoIds: [1, 2] }))
    await loadPhotos(client)
    const html = shown(UploadStep)
    expect(html).toContain('No image selected')
    expect(html).not.toContain('Retry')
  })

  test('and could not be are read again by Retry', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('network')))
    setOrder(openWizard(USER, { photoIds: [1, 2] }))
    await loadPhotos(client)
    const html = shown(UploadStep)
    expect(html).toContain('Photos could not be loaded')
    expect(html).toContain('Retry')
  })
})
