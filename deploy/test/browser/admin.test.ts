import { freePort } from '@skyfolio/testkit/servers'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { dronePhotoAt, listPhotos, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { controlSandbox, type PlacedOrder, placeOrder, type SandboxControl } from './print-orders.ts'

// An administrator switches the partner's environment, tests its endpoints and resolves orders whose outcome is unknown.
// The tests are steps of one end-to-end user journey.
const PASSWORD = 'over-the-lake'
const PLACE = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }

/** Nothing listens there. */
let productionUrl: string
let fixture: OwnerFixture
let page: Page
let sandbox: SandboxControl
let photoIds: number[]

beforeAll(async () => {
  productionUrl = `http://127.0.0.1:${await freePort()}`
  fixture = await startOwnerFixture({ PARTNER_PRODUCTION_URL: productionUrl })
  page = fixture.page
  sandbox = controlSandbox(fixture)
  for (const number of [1, 2, 3])
    await uploadPhoto(fixture.api, `lake-${number}.jpg`, await dronePhotoAt(PLACE, number))
  await waitUntilReady(fixture.api)
  photoIds = (await listPhotos(fixture.api)).map(({ id }) => id)
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const toast = (text: string | RegExp) => page.locator('[data-toasts]').getByText(text, { exact: true })
const production = () => page.getByRole('switch', { name: 'Production' })
const endpoint = (name: string) => page.getByRole('article', { name, exact: true })
const readOrder = ({ orderId }: PlacedOrder) =>
  readJson<PlacedOrder>(fixture.api.get(`/api/walgreens/orders/${orderId}`))

/** The partner works on a placed order some seconds later, and a poll reads that: `processing` is right as well. */
async function expectPlaced(order: PlacedOrder, vendorOrderId: string): Promise<void> {
  const { orderStatus, ...resolved } = await readOrder(order)
  expect(resolved.vendorOrderId).toBe(vendorOrderId)
  expect(orderStatus).toBeOneOf(['submitted', 'processing'])
}

/** Places an order that the partner has, but whose answer is lost. */
async function loseAnswer(photoId: number): Promise<PlacedOrder> {
  await sandbox.fault({ fault: 'commit-then-drop', times: 1 })
  const order = await placeOrder(fixture.api, [photoId])
  expect(order.orderStatus).toBe('unknown')
  return order
}

describe('the administration', () => {
  test('sends users without rights to the start page, and visitors to the login', async () => {
    await page.goto('/admin')
    await page.getByRole('heading', { name: 'Drone Photo Manager' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
    const visitor = await fixture.openIsolatedPage('visitor')
    await visitor.goto('/admin')
    await visitor.waitForURL('**/auth')
  })

  test('has a link for administrators', async () => {
    await fixture.grantAdmin()
    await page.reload()
    await page.getByRole('link', { name: 'Admin' }).click()
    await page.getByRole('heading', { name: 'Administration' }).waitFor()
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()
    expect(links).toEqual(['Photos', 'Orders', 'Meta Data', 'Profile', 'Admin'])
    expect(await page.getByRole('tab').allTextContents()).toEqual([
      'User Management',
      'System Statistics',
      'API Configuration',
      'Walgreens Printing',
      'Audit Log',
      'Deletions',
    ])
  })
})

describe('the environment', () => {
  test('is the sandbox at first, with its note', async () => {
    await page.getByRole('tab', { name: 'API Configuration' }).click()
    await page.getByText(/error code 112 \(API_NOT_ACTIVATED\)/).waitFor()
    expect(await production().isChecked()).toBe(false)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('cannot be switched while a switch is pending, and says why it failed', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/admin/environment', async (route) => {
      if (route.request().method() === 'GET') return route.fallback()
      await held
      return route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Busy.', error: 'Busy.' } })
    })
    await production().click()
    await expect.poll(() => production().isDisabled()).toBe(true)
    release()
    await toast('Update Failed').waitFor()
    await toast('Failed to update environment. Busy.').waitFor()
    await expect.poll(() => production().isChecked()).toBe(false)
    await page.unroute('**/api/admin/environment')
  })

  test('is switched to production by keyboard, with a warning', async () => {
    await production().focus()
    await page.keyboard.press('Space')
    await toast('Environment Updated').waitFor()
    expect(await production().isChecked()).toBe(true)
    await page.getByText(/Real orders and payments are processed/).waitFor()
    await page.getByText(productionUrl, { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('takes no test orders in production', async () => {
    await page.getByRole('tab', { name: 'Walgreens Printing' }).click()
    expect(new URL(page.url()).search).toBe('?tab=printing')
    await endpoint('submit-order-official')
      .getByText(/in production this call is rejected/)
      .waitFor()
    await button('Test submit-order-official').click()
    await endpoint('submit-order-official')
      .getByText(/Test orders are placed in the sandbox only/)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByRole('tab', { name: 'API Configuration' }).click()
  })

  test('shows within seconds what another administrator chose', async () => {
    await readJson(fixture.api.post('/api/admin/environment', { data: { environment: 'sandbox' } }))
    await expect.poll(() => production().isChecked(), { timeout: 10_000 }).toBe(false)
  })
})

describe('the tests of the partner endpoints', () => {
  test('show what the partner answers', async () => {
    await page.getByRole('tab', { name: 'Walgreens Printing' }).click()
    await button('Test v3/fetch-credentials').click()
    await endpoint('v3/fetch-credentials')
      .getByText(/^Credentials accepted/)
      .waitFor()
    await button('Test product-details').click()
    await endpoint('product-details')
      .getByText(/^\d+ products$/)
      .waitFor()
    await endpoint('product-details').getByText('6560003').waitFor()
    await button('Test store-search').click()
    await endpoint('store-search')
      .getByText(/^\d+ stores?$/)
      .waitFor()
    await endpoint('validate-coupon-official').getByLabel('Coupon code').fill('nothing')
    await button('Test validate-coupon-official').click()
    await endpoint('validate-coupon-official')
      .getByText(/^Coupon not accepted/)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('place a marked order in the sandbox', async () => {
    await button('Test submit-order-official').click()
    await endpoint('submit-order-official')
      .getByText(/^Order #\S+ placed in sandbox$/)
      .waitFor()
    const { affNotes } = await sandbox.lastOrder()
    expect(affNotes).toBe('Test Order, Do not print!')
  })

  test('show what failed', async () => {
    await sandbox.fault({ fault: 'http-500', route: 'products' })
    await button('Test product-details').click()
    await endpoint('product-details').getByRole('status').locator('.text-danger').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await sandbox.clearFaults()
  })
})

describe('an order with an unknown outcome', () => {
  const resolve = ({ orderId }: PlacedOrder) => button(`Resolve order ${orderId}`)
  let order: PlacedOrder

  test('is listed until it is resolved with the number that the store knows', async () => {
    await page.getByRole('heading', { name: 'Nothing to resolve' }).waitFor()
    order = await loseAnswer(photoIds[0] as number)
    const { vendorOrderId } = await sandbox.lastOrder()
    await page.reload()
    await resolve(order).click()
    const dialog = page.getByRole('dialog', { name: `Resolve order ${order.orderId}` })
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await dialog.getByText('Enter the number that the store gave for the order').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await dialog.getByLabel('Vendor order number').fill(vendorOrderId)
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await toast('Order resolved').waitFor()
    await page.getByRole('heading', { name: 'Nothing to resolve' }).waitFor()
    await expectPlaced(order, vendorOrderId)
  })

  test('is cancelled when it was not placed', async () => {
    order = await loseAnswer(photoIds[1] as number)
    await page.reload()
    await resolve(order).click()
    await page.getByLabel(/^The order was not placed/).check()
    expect(await page.getByLabel('Vendor order number').count()).toBe(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
    await toast('Order resolved').waitFor()
    expect((await readOrder(order)).orderStatus).toBe('cancelled')
    await page.goto('/orders')
    await page.getByRole('heading', { name: 'Order not placed' }).waitFor()
  })
})

describe('a session whose password was entered long ago', () => {
  const question = () => page.getByRole('dialog', { name: 'Confirm your password' })

  /** The next of these calls gets the answer of such a session; here the sign-in is recent. */
  async function demandPassword(path: string): Promise<void> {
    const message = 'Please enter your password to continue.'
    let demanded = false
    await page.route(path, (route) => {
      if (demanded || route.request().method() !== 'POST') return route.fallback()
      demanded = true
      return route.fulfill({ status: 403, json: { code: 'password_required', message } })
    })
  }

  async function confirmPassword(): Promise<void> {
    await question().getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await question().getByRole('button', { name: 'Confirm' }).click()
  }

  test('is asked for the password before the environment is switched', async () => {
    await page.goto('/admin?tab=api')
    const before = await production().isChecked()
    await demandPassword('**/api/admin/environment')
    await production().click()
    await question().getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => production().isDisabled()).toBe(false)
    expect(await production().isChecked()).toBe(before)
    await page.unrouteAll()
    await demandPassword('**/api/admin/environment')
    await production().click()
    await confirmPassword()
    await toast('Environment Updated').waitFor()
    expect(await production().isChecked()).toBe(!before)
    await readJson(fixture.api.post('/api/admin/environment', { data: { environment: 'sandbox' } }))
  })

  test('keeps what was typed about an order and in a test, and both go on after the password', async () => {
    const order = await loseAnswer(photoIds[2] as number)
    const { vendorOrderId } = await sandbox.lastOrder()
    await page.goto('/admin?tab=printing')
    await endpoint('submit-order-official').getByLabel('Product').fill('6560003')
    await demandPassword('**/api/walgreens/submit-order-official')
    await button('Test submit-order-official').click()
    await confirmPassword()
    await endpoint('submit-order-official')
      .getByText(/^Order #\S+ placed in sandbox$/)
      .waitFor()

    await button(`Resolve order ${order.orderId}`).click()
    const dialog = page.getByRole('dialog', { name: `Resolve order ${order.orderId}` })
    await dialog.getByLabel('Vendor order number').fill(vendorOrderId)
    await demandPassword('**/api/walgreens/orders/*/resolve')
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await question().getByRole('button', { name: 'Cancel' }).click()
    expect(await dialog.getByLabel('Vendor order number').inputValue()).toBe(vendorOrderId)
    await page.unrouteAll()
    await demandPassword('**/api/walgreens/orders/*/resolve')
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await confirmPassword()
    await toast('Order resolved').waitFor()
    await expectPlaced(order, vendorOrderId)
    await page.unrouteAll()
  })
})

test('a phone shows the administration in its width', async () => {
  const phone = await fixture.openIsolatedPage('owner', { viewport: { width: 390, height: 844 }, hasTouch: true })
  for (const path of ['/admin?tab=api', '/admin?tab=printing']) {
    await phone.goto(path)
    await phone.getByRole('heading', { name: 'Administration' }).waitFor()
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  }
})

test('an administrator whose rights are taken away sees it', async () => {
  await page.goto('/admin?tab=api')
  await production().waitFor()
  const json = { code: 'forbidden', message: 'Only for administrators.' }
  await page.route('**/api/admin/environment', (route) => route.fulfill({ status: 403, json }))
  await page.getByRole('heading', { name: "You don't have permission to access this page." }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
