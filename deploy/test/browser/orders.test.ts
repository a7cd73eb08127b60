import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { dronePhotoAt, listPhotos, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { controlSandbox, type PlacedOrder, placeOrder, type SandboxControl } from './print-orders.ts'

// The orders of a customer: from none to one that is ready, one whose outcome is unknown, and several hundred. The tests
// are steps of one end-to-end user journey. The orders are placed through the HTTP API, against the partner's sandbox.
const DULUTH = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }
const UNKNOWN = 'We are checking with the store. Do not order again yet.'

let fixture: OwnerFixture
let page: Page
let sandbox: SandboxControl
let photoIds: number[]
let placed: PlacedOrder
let unknown: PlacedOrder

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  sandbox = controlSandbox(fixture)
  for (const number of [1, 2, 3])
    await uploadPhoto(fixture.api, `lake-${number}.jpg`, await dronePhotoAt(DULUTH, number))
  await waitUntilReady(fixture.api)
  photoIds = (await listPhotos(fixture.api)).map(({ id }) => id).toSorted((a, b) => a - b)
})

afterAll(() => fixture?.close())

const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true })
const card = (name: string) => page.getByRole('article', { name, exact: true })
const placedCard = () => card(`Order #${placed.vendorOrderId}`)

/** Holds requests back until the returned function is called. */
async function holdRequests(url: string): Promise<() => void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(url, async (route) => {
    await held
    await route.fallback()
  })
  return release
}

describe('the orders page', () => {
  test('says that there are no orders, and leads to the photos', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Orders' }).click()
    await heading('Print Orders').waitFor()
    await heading('No Orders Yet').waitFor()
    await page
      .getByText("You haven't placed any orders yet. Print photos for Same Day Pickup at Walgreens.", { exact: true })
      .waitFor()
    expect(await page.getByRole('link', { name: 'Browse Photos to Print' }).getAttribute('href')).toBe('/folders')
    expect(await page.getByRole('link', { name: 'Orders' }).getAttribute('aria-current')).toBe('page')
    expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('shows an order that was placed elsewhere without reloading', async () => {
    placed = await placeOrder(fixture.api, photoIds.slice(0, 2), 3)
    expect(placed.orderStatus).toBe('submitted')
    await placedCard().waitFor()
    for (const text of ['Submitted', 'Sandbox: nothing is printed', 'lake-1', 'lake-2', 'Paula Tern']) {
      await placedCard().getByText(text, { exact: true }).waitFor()
    }
    await expect.poll(() => placedCard().getByText('4x6 · Quantity: 3', { exact: true }).count()).toBe(2)
    const content = await placedCard().textContent()
    for (const text of ['Store #', 'Duluth, MN', 'paula.tern@example.test', '(218) 555-0199', 'Ready: ']) {
      expect(content).toContain(text)
    }
    expect(content).toMatch(/Ordered (less than a minute|1 minute) ago/)
    expect(content).toMatch(/Total\$\d+\.\d\d/)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('links every photo of the order to its image', async () => {
    const links = placedCard().getByRole('link', { name: /^View Image/ })
    await expect.poll(() => links.count()).toBe(2)
    const [image] = await Promise.all([page.context().waitForEvent('page'), links.first().click()])
    await image.waitForLoadState()
    expect(new URL(image.url()).pathname).toBe(`/api/photos/${photoIds[0]}/image`)
    expect(await image.evaluate(() => document.images[0]?.naturalWidth)).toBeGreaterThan(0)
    await image.close()
  })

  test('says what it is reading', async () => {
    const refreshed = await holdRequests('**/refresh-order-status')
    await page.reload()
    await page.getByText('Checking live status with Walgreens').waitFor()
    const read = await holdRequests('**/api/walgreens/orders?*')
    refreshed()
    await page.getByText('Checking for status updates...').waitFor()
    read()
    await page.getByText('Checking for status updates...').waitFor({ state: 'detached' })
    await placedCard().waitFor()
  })

  test('follows the order until it is ready for pickup', async () => {
    await sandbox.turnClockUntilReady(String(placed.vendorOrderId))
    // The list asks for fresh statuses when it is opened.
    await page.reload()
    await placedCard().getByText('Ready for Pickup!', { exact: true }).waitFor()
    await expect.poll(() => placedCard().getByText('Ready', { exact: true }).count()).toBe(1)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('warns of ordering again while nobody knows whether an order exists', async () => {
    await sandbox.fault({ fault: 'commit-then-drop', times: 1 })
    unknown = await placeOrder(fixture.api, photoIds.slice(2))
    expect(unknown).toMatchObject({ orderStatus: 'unknown', vendorOrderId: null })
    const warned = card('Order not confirmed yet')
    await warned.getByText(UNKNOWN, { exact: true }).waitFor()
    await warned.getByText('Unknown', { exact: true }).waitFor()
    expect(await warned.getByRole('button', { name: /^Order again/ }).count()).toBe(0)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('shows why there is nothing when it cannot be read, and retries on demand', async () => {
    await page.route('**/api/walgreens/orders?*', (route) => route.abort())
    await page.reload()
    await heading('Error Loading Orders').waitFor()
    await page.getByText('Unable to load your Walgreens orders. Please try again later.', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('button', { name: 'Try again' }).click()
    await placedCard().waitFor()
  })

  test('opens the print wizard with the photos of an order', async () => {
    await placedCard()
      .getByRole('button', { name: /^Order again/ })
      .click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})

describe('the page of one order', () => {
  test('shows its history, the latest first', async () => {
    await placedCard()
      .getByRole('link', { name: `Order #${placed.vendorOrderId}` })
      .click()
    await page.getByRole('heading', { level: 1, name: `Order #${placed.vendorOrderId}` }).waitFor()
    const steps = page.getByRole('region', { name: 'History' }).getByRole('listitem')
    await expect.poll(() => steps.count()).toBeGreaterThanOrEqual(2)
    expect(await steps.first().textContent()).toContain('Ready')
    expect(await steps.last().textContent()).toContain('Submitted')
    await expect.poll(() => page.getByRole('link', { name: /^View Image/ }).count()).toBe(2)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByRole('main').getByRole('link', { name: 'Print Orders' }).click()
    await heading('Print Orders').waitFor()
  })

  test('does not exist for an order of nobody', async () => {
    for (const id of ['99999999', 'first']) {
      await page.goto(`/orders/${id}`)
      await heading('Order not found').waitFor()
    }
    expect.soft(await findAxeViolations(page)).toEqual([])
  })
})

describe('hundreds of orders', () => {
  const COPIES = 250

  test('are loaded in pages as they come into view', async () => {
    const columns = `user_id, environment, store_number, product_id, quantity, subtotal_cents, total_cents,
      customer_first_name, customer_last_name, customer_email, customer_phone, request_hash, order_hash`
    await fixture.sql(
      'print-orders',
      `INSERT INTO walgreens_orders (${columns}, order_status, vendor_order_id, created_at)
       SELECT ${columns}, 'picked_up', 'OLD-' || n, created_at - n * interval '1 day'
       FROM walgreens_orders, generate_series(1, ${COPIES}) n WHERE id = ${placed.orderId};
       INSERT INTO order_items (order_id, position, product_id, product_size, unit_price_cents, quantity, photo_id, photo_title, image_url)
       SELECT o.id, position, i.product_id, i.product_size, unit_price_cents, i.quantity, i.photo_id, photo_title, i.image_url
       FROM order_items i, walgreens_orders o WHERE i.order_id = ${placed.orderId} AND vendor_order_id LIKE 'OLD-%'`,
    )
    await page.goto('/orders')
    await page.getByText(`${COPIES + 2} orders`, { exact: true }).waitFor()
    // The order that was placed first.
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 20_000)
          return placedCard().count()
        },
        { timeout: 30_000 },
      )
      .toBe(1)
    const names = await page.getByRole('article').getByRole('heading').allTextContents()
    expect(new Set(names).size).toBe(COPIES + 2)
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
  })

  test('stay complete and in order when a new one arrives', async () => {
    const added = await placeOrder(fixture.api, photoIds.slice(0, 1), 5)
    await expect.poll(() => card(`Order #${added.vendorOrderId}`).count()).toBe(1)
    await page.getByText(`${COPIES + 3} orders`, { exact: true }).waitFor()
    const names = await page.getByRole('article').getByRole('heading').allTextContents()
    expect(names[0]).toBe(`Order #${added.vendorOrderId}`)
    expect(new Set(names).size).toBe(COPIES + 3)
  })
})

test('a phone shows an order in its width', async () => {
  const phone = await fixture.openIsolatedPage('owner', { viewport: { width: 390, height: 844 }, hasTouch: true })
  await phone.goto('/orders')
  await phone.getByRole('article').first().waitFor()
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await phone.getByRole('button', { name: 'Menu' }).click()
  await phone.getByRole('dialog').getByRole('link', { name: 'Orders' }).waitFor()
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
