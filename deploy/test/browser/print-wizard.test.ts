import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { dronePhotoAt, findPhoto, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { CUSTOMER, controlSandbox, type SandboxControl } from './print-orders.ts'

// The print wizard, from a photo on the screen to 'Ready for Pickup!', against the partner's sandbox.
const DULUTH = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }
const ZIP = '55804'
const PHOTOS = [1, 2, 3, 4, 5]
const CHECKING = 'We are checking with the store. Do not order again yet.'

let fixture: OwnerFixture
let page: Page
let sandbox: SandboxControl

beforeAll(async () => {
  fixture = await startOwnerFixture({ ORDER_SUBMITS_PER_MINUTE: '1000' })
  page = fixture.page
  sandbox = controlSandbox(fixture.sandboxUrl)
  for (const number of PHOTOS) await uploadPhoto(fixture.api, `lake-${number}.jpg`, await dronePhotoAt(DULUTH, number))
  await waitUntilReady(fixture.api)
})

afterAll(() => fixture?.close())
beforeEach(() => sandbox.clearFaults())

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const heading = (name: string | RegExp, on = page) => on.getByRole('heading', { name, exact: true })
const wizard = (on = page) => on.getByRole('dialog', { name: 'Order Prints' })
const banner = (on = page) => wizard(on).getByRole('alert').first()
const submitButton = (on = page) => button(/^Submit Order - \$/, on)

/** Opens the wizard from the dialog of a photo. */
async function openFromPhoto(title: string, on = page): Promise<void> {
  const { id } = await findPhoto(fixture.api, title)
  await on.goto(`/?photo=${id}`)
  await on.getByRole('dialog').getByRole('button', { name: 'Print', exact: true }).click()
  await heading('Upload your photo', on).waitFor()
}

async function upload(on = page): Promise<void> {
  await button('Validate & Upload', on).click()
  await heading('Choose the print size', on).waitFor()
}

async function chooseSize(on = page): Promise<void> {
  await wizard(on).getByRole('radio', { name: /4x6/ }).check()
  await button('Continue to Store Selection', on).click()
}

const stores = (on = page) => wizard(on).getByRole('group', { name: 'Store' }).getByRole('radio')

async function chooseStore(on = page): Promise<void> {
  await wizard(on).getByLabel('Location').fill(ZIP)
  await page.keyboard.press('Tab')
  await wizard(on).getByLabel('Location').press('Enter')
  await stores(on).first().check()
  await button('Continue to Order Details', on).click()
}

async function fillDetails(on = page): Promise<void> {
  await wizard(on).getByLabel('First name').fill(CUSTOMER.firstName)
  await wizard(on).getByLabel('Last name').fill(CUSTOMER.lastName)
  await wizard(on).getByLabel('Email').fill(CUSTOMER.email)
  await wizard(on).getByLabel('Phone').fill('(218) 555-0199')
  await wizard(on)
    .getByRole('checkbox', { name: /^I agree/ })
    .check()
}

/** From the first step to the last input before the submit. */
async function fillOrder(title: string): Promise<void> {
  await openFromPhoto(title)
  await upload()
  await chooseSize()
  await chooseStore()
  await fillDetails()
}

async function discard(): Promise<void> {
  await page.keyboard.press('Escape')
  await button('Discard').click()
  await wizard().waitFor({ state: 'detached' })
}

/** The status of the sandbox's last order, once it is printed, as /orders shows it. */
async function followToPickup(on: Page, vendorOrderId: string): Promise<void> {
  await sandbox.turnClockUntilReady(vendorOrderId)
  await on.reload()
  const card = on.getByRole('article', { name: `Order #${vendorOrderId}`, exact: true })
  await card.getByText('Ready for Pickup!', { exact: true }).waitFor()
}

async function orderNumber(on = page): Promise<string> {
  return ((await wizard(on).getByText(/^#\d+/).textContent()) ?? '').slice(1)
}

const hasFocus = (locator: Locator) => locator.evaluate((element) => element === document.activeElement)

describe('one photo', () => {
  test('is uploaded with progress, and the products follow', async () => {
    await openFromPhoto('lake-1')
    await wizard().getByText('Sandbox: nothing is printed', { exact: true }).waitFor()
    expect(await hasFocus(heading('Upload your photo'))).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Validate & Upload').click()
    await page.getByText('Image Uploaded', { exact: true }).waitFor()
    await heading('Choose the print size').waitFor()
    expect(await hasFocus(heading('Choose the print size'))).toBe(true)
  })

  test('gets a size, a quantity and a crop', async () => {
    expect(await button('Continue to Store Selection').isDisabled()).toBe(true)
    await wizard().getByRole('radio', { name: /4x6/ }).check()
    const quantity = wizard().getByLabel('Quantity', { exact: true })
    await quantity.fill('5000')
    expect(await quantity.inputValue()).toBe('999')
    await quantity.fill('2')
    const frame = wizard().getByRole('button', { name: /^Printed part of lake-1/ })
    const before = await frame.boundingBox()
    await frame.press('Shift+ArrowLeft')
    await frame.press('Shift+ArrowUp')
    expect(await frame.boundingBox()).not.toEqual(before)
    await wizard()
      .getByText(/\d+ dpi/)
      .first()
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Continue to Store Selection').click()
  })

  test('needs a store, and says why it does not know the location', async () => {
    await expect.poll(() => banner().textContent()).toMatch(/^Location access denied\. .*enter your ZIP code below\.$/)
    expect(await button('Continue to Order Details').isDisabled()).toBe(true)
    await wizard().getByLabel('Location').press('Enter')
    await wizard().getByText('Please enter a ZIP code, city, or state to find stores.', { exact: true }).waitFor()
    await wizard().getByLabel('Location').fill(ZIP)
    await wizard().getByLabel('Location').press('Enter')
    await stores().first().check()
    await wizard()
      .getByText(/^\d+\.\d miles$/)
      .first()
      .waitFor()
    await wizard()
      .getByText(/^(Open|Closed) now$/)
      .first()
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Continue to Order Details').click()
  })

  test('needs the details and the terms', async () => {
    await heading('Order details').waitFor()
    await fillDetails()
    await wizard().getByLabel('Phone').fill('')
    expect(await submitButton().isDisabled()).toBe(true)
    await wizard().getByLabel('Phone').fill('(218) 555-0199')
    const terms = wizard().getByRole('checkbox', { name: /^I agree/ })
    await terms.uncheck()
    expect(await submitButton().isDisabled()).toBe(true)
    await wizard()
      .getByText('Please accept the Terms of Use and Privacy Policy to continue with your order.', { exact: true })
      .waitFor()
    const [page2] = await Promise.all([
      page.context().waitForEvent('page'),
      wizard()
        .getByRole('link', { name: /^Terms of Use/ })
        .click(),
    ])
    await heading('Terms of Use', page2).waitFor()
    await page2.getByText('Your photos remain yours.').waitFor()
    await page2.close()
    await terms.check()
  })

  test('takes a coupon that the partner accepts', async () => {
    const code = wizard().getByLabel('Coupon code (optional)')
    await code.fill('nonsense')
    expect(await code.inputValue()).toBe('NONSENSE')
    await button('Validate').click()
    await wizard().getByText('Invalid coupon code', { exact: true }).waitFor()
    await code.fill('partner50')
    await button('Validate').click()
    await page.getByText('Coupon Not Available', { exact: true }).waitFor()
    await code.fill('print25')
    await button('Validate').click()
    await wizard().getByText('Coupon applied successfully', { exact: true }).waitFor()
    await wizard().getByText('Coupon discount', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('keeps everything over a reload and the back button', async () => {
    await page.reload()
    await heading('Order details').waitFor()
    expect(await wizard().getByLabel('Phone').inputValue()).toBe('(218) 555-0199')
    await page.goBack()
    await heading('Choose a store').waitFor()
    expect(await stores().first().isChecked()).toBe(true)
    await button('Continue to Order Details').click()
    expect(
      await wizard()
        .getByRole('checkbox', { name: /^I agree/ })
        .isChecked(),
    ).toBe(true)
  })

  test('is ordered once by a double click, and is ready for pickup in the end', async () => {
    const { length: before } = await readJson<unknown[]>(fixture.api.get('/api/walgreens/orders'))
    await submitButton().dblclick()
    await heading('Order placed').waitFor()
    await page.getByText('Order Submitted Successfully!', { exact: true }).waitFor()
    await wizard().getByText('Processing', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    const id = await orderNumber()
    expect((await sandbox.lastOrder()).vendorOrderId).toBe(id)
    expect(await readJson<unknown[]>(fixture.api.get('/api/walgreens/orders'))).toHaveLength(before + 1)
    await button('View All Orders').click()
    await page.waitForURL('**/orders')
    await wizard().waitFor({ state: 'detached' })
    await followToPickup(page, id)
  })
})

describe('an order', () => {
  test('asks before it is discarded', async () => {
    await fillOrder('lake-1')
    await page.keyboard.press('Escape')
    await page.getByText('Discard this order?', { exact: true }).waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await heading('Order details').waitFor()
  })

  test('returns to the same step after the session has ended', async () => {
    await page.context().clearCookies()
    await submitButton().click()
    await wizard().getByText('Your session has ended.', { exact: true }).waitFor()
    await wizard().getByRole('link', { name: 'Log in' }).click()
    await page.waitForURL('**/auth')
    await wizard().waitFor({ state: 'detached' })
    await page.getByLabel('Username').fill('pilot')
    await page.getByLabel('Password').fill('over-the-lake')
    await button('Login').click()
    await heading('Order details').waitFor()
    expect(await wizard().getByLabel('Email').inputValue()).toBe(CUSTOMER.email)
  })

  test('shows changed figures and orders them only after the confirmation', async () => {
    await sandbox.fault({ fault: 'promise-time-changed', times: 1 })
    await submitButton().click()
    await wizard().getByText('The order has changed at the store.', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button(/^Confirm and order for \$/).click()
    await heading('Order placed').waitFor()
    await button('Close').last().click()
    await wizard().waitFor({ state: 'detached' })
  })

  test("shows the partner's words of a rejection, and can be sent again", async () => {
    await fillOrder('lake-2')
    await sandbox.fault({ fault: 'error', route: 'submit', times: 1 })
    await submitButton().click()
    await banner().waitFor()
    await submitButton().click()
    await heading('Order placed').waitFor()
    await button('Close').last().click()
    await wizard().waitFor({ state: 'detached' })
  })

  test('is sent again under the same key when there was no response', async () => {
    await fillOrder('lake-3')
    const keys: (string | undefined)[] = []
    await page.route('**/submit-order', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await submitButton().click()
    await wizard()
      .getByText(/it will not be ordered twice/)
      .waitFor()
    const before = await sandbox.lastOrder()
    await submitButton().click()
    await heading('Order placed').waitFor()
    expect(keys[1]).toBe(keys[0])
    expect(await orderNumber()).toBe(before.vendorOrderId)
    await page.unrouteAll({ behavior: 'wait' })
    await button('Close').last().click()
  })

  test('says that the store is asked when nobody knows whether it exists', async () => {
    await fillOrder('lake-4')
    await sandbox.fault({ fault: 'commit-then-drop', times: 1 })
    await submitButton().click()
    await heading(CHECKING).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Close').last().click()
  })

  test('of the same prints is not placed while another one is unknown', async () => {
    await fillOrder('lake-4')
    await submitButton().click()
    await expect.poll(() => banner().textContent()).toContain('already ordered the same prints')
    await wizard().getByRole('link', { name: 'View All Orders' }).waitFor()
    await discard()
  })
})

describe('a banner shows that', () => {
  test('products could not be loaded', async () => {
    await openFromPhoto('lake-5')
    await page.route('**/walgreens/products', (route) => route.abort())
    await upload()
    await wizard().getByText('Failed to load products', { exact: true }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await button('Try again').click()
    await wizard().getByRole('radio', { name: /4x6/ }).check()
  })

  test('a place was not found, or stores could not be searched', async () => {
    await button('Continue to Store Selection').click()
    await page.route('**/api/geocode', (route) => route.abort())
    await wizard().getByLabel('Location').fill(ZIP)
    await button('Search Stores').click()
    const notFound = 'Unable to find location. Please check your entry and try again.'
    await wizard().getByText(notFound, { exact: true }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.route('**/walgreens/store-search', (route) => route.abort())
    await button('Search Stores').click()
    await wizard().getByText('Store search failed', { exact: true }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await discard()
  })

  test('the browser could not load the photo, or the server could not be reached', async () => {
    await openFromPhoto('lake-5')
    await page.route('**/api/uploads/p-*', (route) => route.abort())
    await button('Validate & Upload').click()
    await wizard().getByText('Failed to load image for validation', { exact: true }).first().waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.route('**/walgreens/prepare-images', (route) => route.abort())
    await button('Validate & Upload').click()
    await wizard().getByText('Failed to upload image to Walgreens', { exact: true }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.keyboard.press('Escape')
    await wizard().waitFor({ state: 'detached' })
  })
})

test('a phone orders five photos, one of them in two sizes', async () => {
  const phone = await fixture.openIsolatedPage('owner', { viewport: { width: 390, height: 844 }, hasTouch: true })
  await phone.goto('/')
  await button('Select', phone).click()
  await button('Select All', phone).click()
  await button('Order prints', phone).click()
  await heading('Upload your photos', phone).waitFor()
  await upload(phone)
  await wizard(phone).getByRole('radio', { name: /4x6/ }).check()
  await button(/^Add another size of lake-1/, phone).click()
  await wizard(phone)
    .getByText(/^6 prints · /)
    .waitFor()
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await button('Continue to Store Selection', phone).click()
  await chooseStore(phone)
  await fillDetails(phone)
  await submitButton(phone).tap()
  await heading('Order placed', phone).waitFor()
  const id = await orderNumber(phone)
  await button('View All Orders', phone).click()
  await phone.waitForURL('**/orders')
  await followToPickup(phone, id)
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
