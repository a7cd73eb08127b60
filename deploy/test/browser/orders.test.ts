import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { type PlacedOrder, placeOrder } from './print-orders.ts'
import { CHECKING, type PrintFixture, startPrintFixture } from './wizard-page.ts'

// The orders of a customer: from none to one that is ready, one whose outcome is unknown, and several hundred. They are
// placed through the HTTP API, against the partner's sandbox.
const COPIES = 250

let fixture: PrintFixture
let page: Page
let placed: PlacedOrder

beforeAll(async () => {
  fixture = await startPrintFixture(3)
  page = fixture.page
})

afterAll(() => fixture?.close())

const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true })
const card = (name: string) => page.getByRole('article', { name, exact: true })
const placedCard = () => card(`Order #${placed.vendorOrderId}`)
const cardNames = () => page.getByRole('article').getByRole('heading').allTextContents()

describe('the orders page', () => {
  test('says that there are no orders, and shows one that was placed elsewhere without reloading', async () => {
    await page.goto('/orders')
    await heading('No Orders Yet').waitFor()
    placed = await placeOrder(fixture.api, fixture.photoIds.slice(0, 2), 3)
    for (const text of ['Submitted', 'Sandbox: nothing is printed', 'lake-1', 'lake-2', 'Paula Tern']) {
      await placedCard().getByText(text, { exact: true }).waitFor()
    }
    await expect.poll(() => placedCard().getByText('4x6 · Quantity: 3', { exact: true }).count()).toBe(2)
    const content = await placedCard().textContent()
    for (const text of ['Store #', 'Duluth, MN', 'paula.tern@example.test', '(218) 555-0199', 'Ready: '])
      expect(content).toContain(text)
    expect(content).toMatch(/Total\$\d+\.\d\d/)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('links every photo of the order to its image', async () => {
    const links = placedCard().getByRole('link', { name: /^View Image/ })
    await expect.poll(() => links.count()).toBe(2)
    const [image] = await Promise.all([page.context().waitForEvent('page'), links.first().click()])
    await image.waitForLoadState()
    expect(new URL(image.url()).pathname).toBe(`/api/photos/${fixture.photoIds[0]}/image`)
    expect(await image.evaluate(() => document.images[0]?.naturalWidth)).toBeGreaterThan(0)
    await image.close()
  })

  test('follows the order until it is ready for pickup', async () => {
    await fixture.sandbox.turnClockUntilReady(String(placed.vendorOrderId))
    // The list asks for fresh statuses when it is opened.
    await page.reload()
    await placedCard().getByText('Ready for Pickup!', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('warns of ordering again while nobody knows whether an order exists', async () => {
    await fixture.sandbox.fault({ fault: 'commit-then-drop', times: 1 })
    const unknown = await placeOrder(fixture.api, fixture.photoIds.slice(2))
    expect(unknown).toMatchObject({ orderStatus: 'unknown', vendorOrderId: null })
    const warned = card('Order not confirmed yet')
    await warned.getByText(CHECKING, { exact: true }).waitFor()
    expect(await warned.getByRole('button', { name: /^Order again/ }).count()).toBe(0)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('says why there is nothing when it cannot be read, and retries on demand', async () => {
    await page.route('**/api/walgreens/orders?*', (route) => route.abort())
    await page.reload()
    await heading('Error Loading Orders').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('button', { name: 'Try again' }).click()
    await placedCard().waitFor()
  })
})

test('shows the history of one order, the latest first', async () => {
  await placedCard()
    .getByRole('link', { name: `Order #${placed.vendorOrderId}` })
    .click()
  await page.getByRole('heading', { level: 1, name: `Order #${placed.vendorOrderId}` }).waitFor()
  const steps = page.getByRole('region', { name: 'History' }).getByRole('listitem')
  await expect.poll(() => steps.count()).toBeGreaterThanOrEqual(2)
  expect(await steps.first().textContent()).toContain('Ready')
  expect(await steps.last().textContent()).toContain('Submitted')
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('loads hundreds of orders in pages as they come into view, and adds a new one', async () => {
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
  const isReached = () => page.mouse.wheel(0, 20_000).then(() => placedCard().count())
  await expect.poll(isReached, { timeout: 30_000 }).toBe(1)
  expect(new Set(await cardNames()).size).toBe(COPIES + 2)
  const added = await placeOrder(fixture.api, fixture.photoIds.slice(0, 1), 5)
  await page.getByText(`${COPIES + 3} orders`, { exact: true }).waitFor()
  expect((await cardNames())[0]).toBe(`Order #${added.vendorOrderId}`)
  expect(new Set(await cardNames()).size).toBe(COPIES + 3)
})
