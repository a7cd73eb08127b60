import { type Sandbox, startSandbox } from '@skyfolio/partner-sandbox'
import { freePort } from '@skyfolio/testkit/servers'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SANDBOX_CREDENTIALS } from '../../local/services.ts'
import { findAxeViolations } from './axe.ts'
import { noisePhoto, readJson, uploadLakePhotos, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, PASSWORD, startOwnerFixture } from './owner-fixture.ts'
import { controlSandbox, type PlacedOrder, placeOrder, type SandboxControl } from './print-orders.ts'

// An administrator switches the partner's environment, tests its endpoints, resolves orders whose outcome is unknown and
// retries failed jobs.

/** The media service cannot save that a photo of this name is ready. */
const FAIL_PHOTOS = `
  CREATE FUNCTION fail_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'No luck with this photo'; END $$;
  CREATE TRIGGER fail_photo BEFORE UPDATE ON photos FOR EACH ROW
    WHEN (NEW.status = 'ready' AND NEW.original_name LIKE 'unlucky-%') EXECUTE FUNCTION fail_photo()`

/** Nothing listens there. */
let productionUrl: string
let partner: Sandbox
let fixture: OwnerFixture
let page: Page
let sandbox: SandboxControl
let photoId: number
let unlucky: number[]

beforeAll(async () => {
  productionUrl = `http://127.0.0.1:${await freePort()}`
  const { apiKey, affiliateId } = SANDBOX_CREDENTIALS
  partner = await startSandbox({ apiKey, affiliateId })
  const settings = {
    PARTNER_SANDBOX_URL: partner.url,
    PARTNER_PRODUCTION_URL: productionUrl,
    PARTNER_API_KEY: apiKey,
    PARTNER_AFFILIATE_ID: affiliateId,
  }
  fixture = await startOwnerFixture({ settings })
  page = fixture.page
  sandbox = controlSandbox(partner.controlUrl, '')
  photoId = (await uploadLakePhotos(fixture.api, 1))[0] ?? 0
  // All their attempts take most of a minute, during which the other tests run.
  await fixture.sql('media', FAIL_PHOTOS)
  const upload = async (size: number) => uploadPhoto(fixture.api, `unlucky-${size}.jpg`, await noisePhoto(size))
  unlucky = [await upload(300), await upload(310)]
})

afterAll(async () => {
  await fixture?.close()
  await partner?.stop()
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const toast = (text: string | RegExp) => page.locator('[data-toasts]').getByText(text, { exact: true })
const production = () => page.getByRole('switch', { name: 'Production' })
const endpoint = (name: string) => page.getByRole('article', { name, exact: true })
const question = () => page.getByRole('dialog', { name: 'Confirm your password' })

/** The next of these calls gets the answer of a session whose password was entered long ago; here it is recent. */
async function demandPassword(path: string): Promise<void> {
  const json = { code: 'password_required', message: 'Please enter your password to continue.' }
  let demanded = false
  await page.route(path, (route) => {
    if (demanded || route.request().method() !== 'POST') return route.fallback()
    demanded = true
    return route.fulfill({ status: 403, json })
  })
}

async function confirmPassword(): Promise<void> {
  await question().getByLabel('Your password', { exact: true }).fill(PASSWORD)
  await question().getByRole('button', { name: 'Confirm' }).click()
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

  test('has a link and its tabs for administrators', async () => {
    await fixture.grantAdmin('pilot')
    await page.reload()
    await page.getByRole('link', { name: 'Admin' }).click()
    await page.getByRole('heading', { name: 'Administration' }).waitFor()
    expect(await page.getByRole('tab').allTextContents()).toEqual([
      'User Management',
      'System Statistics',
      'API Configuration',
      'Walgreens Printing',
      'Failed Jobs',
      'Audit Log',
      'Deletions',
    ])
  })
})

describe('the environment', () => {
  test('is switched to production by keyboard and with the password, with a warning', async () => {
    await page.getByRole('tab', { name: 'API Configuration' }).click()
    await page.getByText(/error code 112 \(API_NOT_ACTIVATED\)/).waitFor()
    await demandPassword('**/api/admin/environment')
    await production().focus()
    await page.keyboard.press('Space')
    await question().getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => production().isDisabled()).toBe(false)
    expect(await production().isChecked()).toBe(false)
    await page.unrouteAll()
    await demandPassword('**/api/admin/environment')
    await page.keyboard.press('Space')
    await confirmPassword()
    await toast('Environment Updated').waitFor()
    expect(await production().isChecked()).toBe(true)
    await page.getByText(/Real orders and payments are processed/).waitFor()
    await page.getByText(productionUrl, { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('takes no test orders in production', async () => {
    await page.getByRole('tab', { name: 'Walgreens Printing' }).click()
    await button('Test submit-order-official').click()
    await endpoint('submit-order-official')
      .getByText(/Test orders are placed in the sandbox only/)
      .waitFor()
    await page.getByRole('tab', { name: 'API Configuration' }).click()
  })

  test('shows within seconds what another administrator chose', async () => {
    await readJson(fixture.api.post('/api/admin/environment', { data: { environment: 'sandbox' } }))
    await expect.poll(() => production().isChecked(), { timeout: 10_000 }).toBe(false)
  })
})

describe('the tests of the partner endpoints', () => {
  test('show what the partner answers, or what failed', async () => {
    await page.getByRole('tab', { name: 'Walgreens Printing' }).click()
    for (const [name, result] of [
      ['v3/fetch-credentials', /^Credentials accepted/],
      ['product-details', /^\d+ products$/],
      ['store-search', /^\d+ stores?$/],
      ['validate-coupon-official', /^Coupon not accepted/],
    ] as const) {
      if (name === 'validate-coupon-official') await endpoint(name).getByLabel('Coupon code').fill('nothing')
      await button(`Test ${name}`).click()
      await endpoint(name).getByText(result).waitFor()
    }
    await sandbox.fault({ fault: 'http-500', route: 'products' })
    await button('Test product-details').click()
    await endpoint('product-details').getByRole('status').locator('.text-danger').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await sandbox.clearFaults()
  })

  test('place a marked order in the sandbox, after the password with what was typed before', async () => {
    await endpoint('submit-order-official').getByLabel('Product').fill('6560003')
    await demandPassword('**/api/walgreens/submit-order-official')
    await button('Test submit-order-official').click()
    await confirmPassword()
    await endpoint('submit-order-official')
      .getByText(/^Order #\S+ placed in sandbox$/)
      .waitFor()
    const { affNotes } = await sandbox.lastOrder()
    expect(affNotes).toBe('Test Order, Do not print!')
  })
})

test('resolves an order with an unknown outcome with the number that the store knows, and the password', async () => {
  await page.getByRole('heading', { name: 'Nothing to resolve' }).waitFor()
  await sandbox.fault({ fault: 'commit-then-drop', times: 1 })
  const { orderId, orderStatus } = await placeOrder(fixture.api, [photoId])
  expect(orderStatus).toBe('unknown')
  const { vendorOrderId } = await sandbox.lastOrder()
  await page.reload()
  await button(`Resolve order ${orderId}`).click()
  const dialog = page.getByRole('dialog', { name: `Resolve order ${orderId}` })
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await dialog.getByText('Enter the number that the store gave for the order').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await dialog.getByLabel('Vendor order number').fill(vendorOrderId)
  await demandPassword('**/api/walgreens/orders/*/resolve')
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await confirmPassword()
  await toast('Order resolved').waitFor()
  await page.getByRole('heading', { name: 'Nothing to resolve' }).waitFor()
  const resolved = await readJson<PlacedOrder>(fixture.api.get(`/api/walgreens/orders/${orderId}`))
  expect(resolved.vendorOrderId).toBe(vendorOrderId)
  // Some seconds after the order the partner fetches the images, which this sandbox cannot, and a poll reads that.
  expect(resolved.orderStatus).toBeOneOf(['submitted', 'processing', 'cancelled'])
})

test('retries failed jobs by keyboard, also one that somebody else has just retried', async () => {
  const failedJobs = () => readJson<object[]>(fixture.api.get('/api/admin/failed-jobs'))
  await expect.poll(async () => (await failedJobs()).length, { timeout: 90_000 }).toBe(2)
  await fixture.sql('media', 'DROP TRIGGER fail_photo ON photos')
  await page.getByRole('tab', { name: 'Failed Jobs' }).click()
  await page.getByText('No luck with this photo').nth(1).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])

  const [first, second] = unlucky
  const retried = await fixture.api.post(`/api/admin/failed-jobs/photos/photo-${first}-0/retry`)
  expect(retried.status()).toBe(204)
  await button(`Retry photo ${first}`).press('Enter')
  await toast('Nothing to retry').waitFor()
  await page.locator('[role=tabpanel]:focus').waitFor()

  await button(`Retry photo ${second}`).press('Enter')
  await toast('Job retried').waitFor()
  await page.getByRole('heading', { name: 'No failed jobs' }).waitFor()
  await page.locator('[role=tabpanel]:focus').waitFor()
  await waitUntilReady(fixture.api)
})
