import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { checkCoupon } from '../src/features/print-wizard/actions/prices.ts'
import { checkLastOrder, submit } from '../src/features/print-wizard/actions/submit.ts'
import {
  changePrint,
  chooseForAll,
  confirmFigures,
  edit,
  prefillCustomer,
  typeCoupon,
} from '../src/features/print-wizard/wizard-state.ts'
import {
  activity,
  change,
  draft,
  recallAttempt,
  savedOrder,
  setOrder,
  unknownAttempt,
} from '../src/features/print-wizard/wizard-store.ts'
import { PRODUCTS, withStore, wizardWith } from './print-fixture.ts'

const USER = 7
const PLACED = { orderId: 1, vendorOrderId: '8001', orderStatus: 'submitted', environment: 'sandbox' }
const CUSTOMER = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test', phone: '2185550100' }
const FIGURES = { subtotalAmount: '0.45', discountAmount: '0.00', totalAmount: '0.45', promiseTime: 'Same Day' }

interface Sent {
  key: string
  body: { productDetails: { imageDetails: { qty: number }[] }[]; couponCode?: string }
}

let sent: Sent[]
let responses: (() => Promise<Response>)[]
let coupon: () => Promise<Response>
let prepare: (signal: AbortSignal) => Promise<Response>

const json = (status: number, body: object) => async () => new Response(JSON.stringify(body), { status })
const error = (status: number, code: string) => json(status, { code, message: `Sentence of ${code}.` })
const lost = () => Promise.reject(new TypeError('network'))
const changedFigures = json(409, { code: 'order_changed', message: 'Changed.', current: FIGURES })

async function answer(path: string, init: RequestInit): Promise<Response> {
  if (path.endsWith('/products')) return json(200, { products: PRODUCTS })()
  if (path.endsWith('/validate-coupon')) return coupon()
  if (path.endsWith('/prepare-images')) return prepare(init.signal as AbortSignal)
  if (!path.endsWith('/submit-order')) return json(200, {})()
  const key = (init.headers as Record<string, string>)['idempotency-key'] ?? ''
  sent.push({ key, body: JSON.parse(init.body as string) })
  return (responses.shift() ?? lost)()
}

beforeEach(() => {
  sent = []
  responses = []
  prepare = json(200, { images: [{ photoId: 1, status: 'ready' }] })
  coupon = json(200, { err: '', orderDiscountPrice: '0.10' })
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  vi.stubGlobal('fetch', answer)
  vi.useFakeTimers({ shouldAdvanceTime: true })
  open()
})

afterEach(() => {
  recallAttempt(-1)
  setOrder(null)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A wizard with one print, ready to be submitted. */
function open(quantity = 1): void {
  const state = withStore(chooseForAll(wizardWith(1), { productId: PRODUCTS[0]?.productId ?? null, quantity }))
  setOrder(edit(prefillCustomer(state, CUSTOMER), { termsAccepted: true, step: 'order' }))
}

const client = () => new QueryClient()
const quantityOf = ({ body }: Sent) => body.productDetails[0]?.imageDetails[0]?.qty

/** The server has decided on everything that was sent before. */
function later(): void {
  vi.setSystemTime(Date.now() + 60_000)
}

describe('an order without a response', () => {
  test.each([
    ['no connection', lost],
    ['a gateway that gave up', error(504, 'upstream_timeout')],
    ['an error of the server', error(500, 'internal')],
    ['half a response', async () => new Response('{"orderId":', { status: 201 })],
  ])('is sent again under its key: %s', async (_name, response) => {
    responses = [response, json(200, PLACED)]
    await submit(client())
    expect(draft.get()?.error).toContain('it will not be ordered twice')
    await submit(client())
    expect(sent[1]).toEqual(sent[0])
    expect(draft.get()).toMatchObject({ step: 'complete', outcome: PLACED, outcomeNote: null })
    expect(unknownAttempt(USER)).toBeNull()
  })

  test('is sent as it was before a changed one is: when it was placed, that is the result', async () => {
    responses = [lost, json(200, PLACED)]
    await submit(client())
    change(changePrint, 1, { quantity: 5 })
    await submit(client())
    expect(sent[1]).toEqual(sent[0])
    expect(sent).toHaveLength(2)
    expect(draft.get()?.outcomeNote).toContain('as you sent it first')
  })

  test('makes way for the changed one when it was certainly not placed', async () => {
    responses = [lost, changedFigures, json(201, PLACED)]
    await submit(client())
    later()
    change(changePrint, 1, { quantity: 5 })
    await submit(client())
    expect(sent.map(quantityOf)).toEqual([1, 1, 5])
    expect(sent[1]?.key).toBe(sent[0]?.key)
    expect(sent[2]?.key).not.toBe(sent[0]?.key)
    expect(draft.get()?.step).toBe('complete')
  })

  test('is asked about again when the first request may still be on its way', async () => {
    responses = [lost, changedFigures, json(200, PLACED)]
    await submit(client())
    const repeated = submit(client())
    await vi.waitFor(() => expect(sent).toHaveLength(2))
    await vi.advanceTimersByTimeAsync(25_000)
    await repeated
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
    expect(draft.get()?.outcome).toEqual(PLACED)
  })

  test('stays unknown while its repetition is not processed', async () => {
    responses = [lost, error(429, 'too_many_requests'), error(503, 'unavailable')]
    await submit(client())
    await submit(client())
    await submit(client())
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
    expect(unknownAttempt(USER)).not.toBeNull()
  })

  test('is still known after a reload, and to no other user', async () => {
    await submit(client())
    const attempt = unknownAttempt(USER)
    recallAttempt(8)
    expect(unknownAttempt(8)).toBeNull()
    recallAttempt(USER)
    expect(unknownAttempt(USER)).toMatchObject({ key: attempt?.key, body: sent[0]?.body })
  })

  test('is checked by the next wizard, which says that it was placed', async () => {
    responses = [lost, json(200, PLACED)]
    await submit(client())
    setOrder(null)
    open(3)
    await checkLastOrder(client())
    expect(sent[1]).toEqual(sent[0])
    expect(draft.get()).toMatchObject({ step: 'order', notice: 'Your last order was placed: order #8001.' })
  })

  test("is not followed by the next wizard's own order when it was placed", async () => {
    responses = [lost, json(200, PLACED)]
    await submit(client())
    open(3)
    await submit(client())
    expect(sent.map(quantityOf)).toEqual([1, 1])
    expect(draft.get()).toMatchObject({ step: 'order', outcome: null })
  })
})

describe('a definite response', () => {
  test.each([
    ['a rejection', error(422, 'partner_refused')],
    ['wrong details', error(400, 'invalid_fields')],
    ['a store that cannot be reached', error(502, 'partner_failed')],
    ['a limit', error(429, 'too_many_requests')],
  ])('gives the next attempt a new key: %s', async (_name, response) => {
    responses = [response, json(201, PLACED)]
    await submit(client())
    expect(unknownAttempt(USER)).toBeNull()
    await submit(client())
    expect(sent[1]?.key).not.toBe(sent[0]?.key)
  })

  test('offers other figures', async () => {
    responses = [changedFigures]
    await submit(client())
    expect(draft.get()?.offered?.now).toEqual(FIGURES)
  })
})

describe('a coupon that the store rejects in the end is left out only when the user has confirmed it', () => {
  test.each<[string, object, () => Promise<void>]>([
    ['was accepted before', { err: '', orderDiscountPrice: null }, async () => {}],
    ['was never checked', { err: '9102' }, async () => {}],
    ['was checked and rejected', { err: '9102' }, () => checkCoupon(client())],
  ])('when it %s', async (_when, answer, prepareCoupon) => {
    const couponMessage = 'This coupon code is not valid for this order.'
    const current = { ...FIGURES, couponMessage }
    responses = [json(409, { code: 'order_changed', message: 'Changed.', current }), json(201, PLACED)]
    coupon = json(200, answer)
    change(typeCoupon, 'print25')
    await prepareCoupon()
    await submit(client())
    expect(sent[0]?.body.couponCode).toBe('PRINT25')
    expect(draft.get()).toMatchObject({ step: 'order', offered: { now: current }, coupon: { message: couponMessage } })
    change(confirmFigures)
    await submit(client())
    expect(sent[1]?.body.couponCode).toBeUndefined()
    expect(draft.get()?.step).toBe('complete')
  })
})

test('an order that was placed does not come back after a reload', async () => {
  responses = [error(422, 'partner_refused'), json(201, PLACED)]
  await submit(client())
  expect(savedOrder(USER)).toMatchObject({ step: 'order' })
  await submit(client())
  expect(draft.get()?.step).toBe('complete')
  expect(savedOrder(USER)).toBeNull()
})

describe('a wizard that is closed', () => {
  test('while the photos are prepared orders nothing', async () => {
    prepare = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const submitted = submit(client())
    await vi.waitFor(() => expect(activity.get().busy).toBe('prepare'))
    open(3)
    await submitted
    expect(sent).toEqual([])
    expect(draft.get()?.error).toBeNull()
  })

  test('while the order is at the store leaves the next wizard as it is', async () => {
    const response = Promise.withResolvers<Response>()
    responses = [() => response.promise]
    const submitted = submit(client())
    await vi.waitFor(() => expect(sent).toHaveLength(1))
    open(3)
    response.resolve(await json(201, PLACED)())
    await submitted
    expect(draft.get()).toMatchObject({ step: 'order', outcome: null })
    expect(unknownAttempt(USER)).toBeNull()
  })
})

describe('a coupon code that was typed but not checked', () => {
  test('is checked first, and the user sees the new total', async () => {
    responses = [json(201, PLACED)]
    change(typeCoupon, 'print25')
    await submit(client())
    expect(sent).toEqual([])
    expect(draft.get()?.notice).toContain('new total')
    await submit(client())
    expect(sent[0]?.body.couponCode).toBe('PRINT25')
  })

  test('that cannot be checked is sent: the submit checks it, too', async () => {
    coupon = error(429, 'too_many_requests')
    responses = [error(429, 'too_many_requests')]
    change(typeCoupon, 'print25')
    await submit(client())
    expect(sent[0]?.body.couponCode).toBe('PRINT25')
    expect(draft.get()).toMatchObject({ step: 'order', error: 'Sentence of too_many_requests.' })
  })

  test('is checked again for prints that changed meanwhile', async () => {
    let asked = 0
    coupon = async () => {
      asked += 1
      if (asked === 1) change(changePrint, 1, { quantity: 2 })
      return json(200, { err: '', orderDiscountPrice: asked === 1 ? '0.10' : '0.20' })()
    }
    change(typeCoupon, 'print25')
    await submit(client())
    expect(draft.get()?.coupon).toMatchObject({ status: 'valid', discountCents: 20 })
  })
})
