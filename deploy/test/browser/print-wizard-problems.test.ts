import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { readJson } from './gallery-photos.ts'
import { CUSTOMER } from './print-orders.ts'
import { CHECKING, type PrintFixture, startPrintFixture, type WizardPage, wizardOn, ZIP } from './wizard-page.ts'

// What goes wrong between the print wizard and the store, against the partner's sandbox.
let fixture: PrintFixture
let page: Page
let w: WizardPage

beforeAll(async () => {
  fixture = await startPrintFixture(6)
  page = fixture.page
  w = wizardOn(page, fixture.api)
})

afterAll(() => fixture?.close())
beforeEach(() => fixture.sandbox.clearFaults())

describe('an order', () => {
  test('asks before it is discarded', async () => {
    await w.fillOrder('lake-1')
    await page.keyboard.press('Escape')
    await page.getByText('Discard this order?', { exact: true }).waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await w.heading('Order details').waitFor()
  })

  test('returns to the same step after the session has ended', async () => {
    await page.context().clearCookies()
    await w.submitButton().click()
    await w.dialog().getByText('Your session has ended.', { exact: true }).waitFor()
    await w.dialog().getByRole('link', { name: 'Log in' }).click()
    await page.waitForURL('**/auth')
    await w.dialog().waitFor({ state: 'detached' })
    await page.getByLabel('Username').fill('pilot')
    await page.getByLabel('Password').fill('over-the-lake')
    await w.button('Login').click()
    await w.heading('Order details').waitFor()
    expect(await w.dialog().getByLabel('Email').inputValue()).toBe(CUSTOMER.email)
  })

  test('shows changed figures and orders them only after the confirmation', async () => {
    await fixture.sandbox.fault({ fault: 'promise-time-changed', times: 1 })
    await w.submitButton().click()
    await w.dialog().getByText('The order has changed at the store.', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.button(/^Confirm and order for \$/).click()
    await w.heading('Order placed').waitFor()
    await w.closeComplete()
  })

  test("shows the partner's words of a rejection, and can be sent again", async () => {
    await w.fillOrder('lake-2')
    await fixture.sandbox.fault({ fault: 'error', route: 'submit', times: 1 })
    await w.submitButton().click()
    await w.banner().waitFor()
    await w.submitButton().click()
    await w.heading('Order placed').waitFor()
    await w.closeComplete()
  })

  test('is sent again under the same key when there was no response', async () => {
    await w.fillOrder('lake-3')
    const keys: (string | undefined)[] = []
    await page.route('**/submit-order', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await w.submitButton().click()
    await w
      .dialog()
      .getByText(/it will not be ordered twice/)
      .waitFor()
    const before = await fixture.sandbox.lastOrder()
    await w.submitButton().click()
    await w.heading('Order placed').waitFor()
    expect(keys[1]).toBe(keys[0])
    expect(await w.orderNumber()).toBe(before.vendorOrderId)
    await page.unrouteAll({ behavior: 'wait' })
    await w.closeComplete()
  })

  test('says that the store is asked when nobody knows whether it exists', async () => {
    await w.fillOrder('lake-4')
    await fixture.sandbox.fault({ fault: 'commit-then-drop', times: 1 })
    await w.submitButton().click()
    await w.heading(CHECKING).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.closeComplete()
  })

  test('of the same prints is not placed while another one is unknown', async () => {
    await w.fillOrder('lake-4')
    await w.submitButton().click()
    await expect.poll(() => w.banner().textContent()).toContain('already ordered the same prints')
    await w.dialog().getByRole('link', { name: 'View All Orders' }).waitFor()
    await w.discard()
  })
})

describe('an order whose response was lost', () => {
  const orders = async () => (await readJson<unknown[]>(fixture.api.get('/api/walgreens/orders'))).length

  /** The server places the order, and the page gets no response; returns the keys of all requests. */
  async function loseResponses(count: number): Promise<(string | undefined)[]> {
    const keys: (string | undefined)[] = []
    await page.route('**/submit-order', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > count) return route.continue()
      await route.fetch()
      await route.abort()
    })
    return keys
  }

  test('is the result of the next submit, although the user has changed the prints', async () => {
    await w.fillOrder('lake-5')
    const before = await orders()
    const keys = await loseResponses(1)
    await w.submitButton().click()
    await w
      .dialog()
      .getByText(/it will not be ordered twice/)
      .waitFor()
    await w.button('Back').click()
    await w.heading('Choose a store').waitFor()
    await w.button('Back').click()
    await w.dialog().getByLabel('Quantity', { exact: true }).fill('3')
    await w.button('Continue to Store Selection').click()
    await w.button('Continue to Order Details').click()
    await w.submitButton().click()
    await w.heading('Order placed').waitFor()
    await w.dialog().getByText('This is the order as you sent it first.').waitFor()
    expect(keys).toEqual([keys[0], keys[0]])
    expect(await orders()).toBe(before + 1)
    await page.unrouteAll({ behavior: 'wait' })
    await w.closeComplete()
  })

  test('is checked first when the wizard is closed, the page reloaded and the wizard opened again', async () => {
    await w.fillOrder('lake-6')
    const before = await orders()
    const keys = await loseResponses(1)
    await w.submitButton().click()
    await w
      .dialog()
      .getByText(/it will not be ordered twice/)
      .waitFor()
    await w.discard()
    await page.reload()
    await w.openFromPhoto('lake-6')
    await w.dialog().getByText('Your last order got no response.', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    expect(await w.button('Validate & Upload').isDisabled()).toBe(true)
    await w.button('Check my last order').click()
    await w
      .dialog()
      .getByText(/^Your last order was placed: order #\d+\.$/)
      .waitFor()
    expect(keys).toEqual([keys[0], keys[0]])
    expect(await orders()).toBe(before + 1)
    await page.unrouteAll({ behavior: 'wait' })
    await w.upload()
    await w.discard()
  })
})

describe('closing the wizard', () => {
  test('while the photos are prepared says that nothing is ordered, and orders nothing', async () => {
    await w.fillOrder('lake-6')
    const started = Promise.withResolvers<void>()
    await page.route('**/prepare-images', () => started.resolve())
    let submits = 0
    await page.route('**/submit-order', (route) => {
      submits += 1
      return route.continue()
    })
    await w.submitButton().click()
    await started.promise
    // A toast of the step before takes Escape for itself.
    await page.locator('[data-toasts] li').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByText(/^Nothing has been ordered yet\./).waitFor()
    await w.button('Discard').click()
    await w.dialog().waitFor({ state: 'detached' })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await w.openFromPhoto('lake-6')
    expect(await w.dialog().getByRole('alert').count()).toBe(0)
    expect(submits).toBe(0)
    await page.keyboard.press('Escape')
    await w.dialog().waitFor({ state: 'detached' })
  })
})

test('a typed search does not wait for the answer to the question for the location', async () => {
  await w.openFromPhoto('lake-5')
  await page.evaluate(() => {
    navigator.geolocation.getCurrentPosition = () => {}
  })
  await w.upload()
  await w.chooseSize()
  await w.dialog().getByText('Finding your location...', { exact: true }).waitFor()
  await w.button('Back').click()
  await w.button('Continue to Store Selection').click()
  await w.dialog().getByText('Finding your location...', { exact: true }).waitFor()
  await w.chooseStore()
  await w.heading('Order details').waitFor()
  await w.discard()
})

test('a coupon code that was typed but not checked is not dropped', async () => {
  await w.fillOrder('lake-5')
  await w.dialog().getByLabel('Coupon code (optional)').fill('print25')
  await w.submitButton().click()
  await w.dialog().getByText('The coupon was applied. Please check the new total and submit again.').waitFor()
  await w.dialog().getByText('Coupon discount', { exact: true }).waitFor()
  await w.submitButton().click()
  await w.heading('Order placed').waitFor()
  await w.dialog().getByText('Sandbox: nothing is printed', { exact: true }).waitFor()
  await w.closeComplete()
})

describe('a banner shows that', () => {
  test('products could not be loaded', async () => {
    await w.openFromPhoto('lake-5')
    await page.route('**/walgreens/products', (route) => route.abort())
    await w.upload()
    await w.dialog().getByText('Failed to load products', { exact: true }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await w.button('Try again').click()
    await w.dialog().getByRole('radio', { name: /4x6/ }).check()
  })

  test('a place was not found, or stores could not be searched', async () => {
    await w.button('Continue to Store Selection').click()
    await page.route('**/api/geocode', (route) => route.abort())
    await w.dialog().getByLabel('Location').fill(ZIP)
    await w.button('Search Stores').click()
    const notFound = 'Unable to find location. Please check your entry and try again.'
    await w.dialog().getByText(notFound, { exact: true }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.route('**/walgreens/store-search', (route) => route.abort())
    await w.button('Search Stores').click()
    await w.dialog().getByText('Store search failed', { exact: true }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await w.discard()
  })

  test('the browser could not load the photo, or the server could not be reached', async () => {
    await w.openFromPhoto('lake-5')
    await page.route('**/api/uploads/p-*', (route) => route.abort())
    await w.button('Validate & Upload').click()
    await w.dialog().getByText('Failed to load image for validation', { exact: true }).first().waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.route('**/walgreens/prepare-images', (route) => route.abort())
    await w.button('Validate & Upload').click()
    await w.dialog().getByText('Failed to upload image to Walgreens', { exact: true }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.keyboard.press('Escape')
    await w.dialog().waitFor({ state: 'detached' })
  })
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
