import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { logIn } from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { readJson } from './gallery-photos.ts'
import { hasFocus, PASSWORD, PHONE } from './owner-fixture.ts'
import { CUSTOMER } from './print-orders.ts'
import { controlsUnderToast } from './touch.ts'
import { CHECKING, type PrintFixture, startPrintFixture, type WizardPage, wizardOn, ZIP } from './wizard-page.ts'

// The print wizard, from a photo on the screen to 'Ready for Pickup!', and what goes wrong between it and the store,
// against the partner's sandbox.
/** A phone on its side and upright, a tablet, a desktop. */
const WINDOWS = [
  [844, 390],
  [390, 844],
  [768, 1024],
  [1440, 900],
] as const
/** The nearest to the ZIP code. */
const STORE = 'Duluth Lakeside'
let fixture: PrintFixture
let page: Page
let w: WizardPage

beforeAll(async () => {
  fixture = await startPrintFixture(5)
  page = fixture.page
  w = wizardOn(page, fixture.api)
})

afterAll(() => fixture?.close())
beforeEach(() => fixture.sandbox.clearFaults())

const says = (text: string | RegExp) => w.dialog().getByText(text, { exact: true }).first().waitFor()
const orderCount = async () => (await readJson<unknown[]>(fixture.api.get('/api/walgreens/orders'))).length

describe('one photo', () => {
  test('is uploaded with progress, and the products follow', async () => {
    await w.openFromPhoto('lake-1')
    await says('Sandbox: nothing is printed')
    await expect.poll(() => hasFocus(w.heading('Upload your photo'))).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.button('Validate & Upload').click()
    await page.getByText('Image Uploaded', { exact: true }).waitFor()
    await w.heading('Choose the print size').waitFor()
    await expect.poll(() => hasFocus(w.heading('Choose the print size'))).toBe(true)
  })

  test('gets a size, a quantity and a crop by keyboard', async () => {
    await w.dialog().getByRole('radio', { name: /4x6/ }).check()
    await w.dialog().getByLabel('Quantity', { exact: true }).fill('2')
    const frame = w.dialog().getByRole('button', { name: /^Printed part of lake-1/ })
    const before = await frame.boundingBox()
    await frame.press('Shift+ArrowLeft')
    await frame.press('Shift+ArrowUp')
    expect(await frame.boundingBox()).not.toEqual(before)
    await frame.press('Escape')
    await frame.waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(w.button(/^Adjust crop of lake-1/))).toBe(true)
    await says(/\d+ dpi/)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.button('Continue to Store Selection').click()
  })

  test('needs a store, and says why it does not know the location only to those who ask for it', async () => {
    const useLocation = w.button(/^Use My Location/)
    await expect.poll(() => useLocation.isEnabled()).toBe(true)
    expect(await w.banner().count()).toBe(0)
    await useLocation.click()
    await expect
      .poll(() => w.banner().textContent())
      .toMatch(/^Location access denied\. .*enter your ZIP code below\.$/)
    expect(await w.button('Continue to Order Details').isDisabled()).toBe(true)
    await w.dialog().getByLabel('Location').fill(ZIP)
    await w.dialog().getByLabel('Location').press('Enter')
    await w.stores().first().check()
    await says(/^\d+\.\d miles$/)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.button('Continue to Order Details').click()
  })

  test('needs the details and the terms', async () => {
    await w.heading('Order details').waitFor()
    await w.fillDetails()
    const terms = w.dialog().getByRole('checkbox', { name: /^I agree/ })
    await terms.uncheck()
    expect(await w.submitButton().isDisabled()).toBe(true)
    await says('Please accept the Terms of Use and Privacy Policy to continue with your order.')
    await terms.check()
  })

  test('takes only a coupon that the partner accepts', async () => {
    const code = w.dialog().getByLabel('Coupon code (optional)')
    const before = await orderCount()
    await code.fill('nonsense')
    await w.button('Validate').click()
    await says('Invalid coupon code')
    await w.submitButton().click()
    await says(/^This coupon code is not valid for this order.*Nothing has been ordered yet\. Change the code/)
    expect.soft(await findAxeViolations(page)).toEqual([])
    expect(await orderCount()).toBe(before)
    await code.fill('partner50')
    await w.button('Validate').click()
    await page.getByText('Coupon Not Available', { exact: true }).waitFor()
    await expect
      .poll(() =>
        w
          .dialog()
          .getByText(/^This coupon is not configured for your account\. /)
          .count(),
      )
      .toBe(2)
    await w.dialog().getByRole('button', { name: 'Dismiss' }).click()
    for (const [width, height] of WINDOWS) {
      await page.setViewportSize({ width, height })
      await code.fill('print25')
      await w.button('Validate').click()
      await page.getByText('Coupon Valid', { exact: true }).waitFor()
      expect(await controlsUnderToast(page), `${width} x ${height}`).toEqual([])
      // Nothing is above the toast.
      await w.dialog().getByRole('button', { name: 'Dismiss' }).click()
    }
    await says('Coupon discount')
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('keeps everything over a reload, Back and the end of the session', async () => {
    await page.reload()
    await w.heading('Order details').waitFor()
    await page.goBack()
    await w.heading('Choose a store').waitFor()
    expect(await w.stores().first().isChecked()).toBe(true)
    await w.button('Continue to Order Details').click()
    await page.context().clearCookies()
    await w.submitButton().click()
    await says('Your session has ended.')
    await w.dialog().getByRole('link', { name: 'Log in' }).click()
    await page.waitForURL('**/auth')
    await w.dialog().waitFor({ state: 'detached' })
    await logIn(page, 'pilot', PASSWORD)
    await w.heading('Order details').waitFor()
    expect(await w.dialog().getByLabel('Email').inputValue()).toBe(CUSTOMER.email)
  })

  test('is ordered once by a double click, and is ready for pickup in the end', async () => {
    const before = await orderCount()
    await w.submitButton().dblclick()
    await w.heading('Order placed').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    const id = await w.orderNumber()
    expect((await fixture.sandbox.lastOrder()).vendorOrderId).toBe(id)
    await says(STORE)
    expect(await orderCount()).toBe(before + 1)
    await w.button('View All Orders').click()
    await page.waitForURL('**/orders')
    await w.dialog().waitFor({ state: 'detached' })
    await w.followToPickup(fixture.sandbox, id)
    await page.getByText(STORE, { exact: true }).first().waitFor()
  })

  test('is offered the same store the next time, and its own promise time', async () => {
    await w.openFromPhoto('lake-1')
    await w.upload()
    await w.chooseSize()
    await says('Your last store')
    await w.dialog().getByRole('radio', { name: STORE }).check()
    await w.button('Continue to Order Details').click()
    await says(STORE)
    await says(/^Ready: /)
    await w.discard()
  })

  test('leaves no store in the browser of a user who logs out', async () => {
    const lastStores = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('print-store')))
    expect(await lastStores()).toHaveLength(1)
    await page.keyboard.press('Escape')
    await w.button('Account of pilot').click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await page.getByText('Logged out', { exact: true }).waitFor()
    expect(await lastStores()).toEqual([])
    await logIn(page, 'pilot', PASSWORD)
    await w.button('Account of pilot').waitFor()
  })
})

test('orders five photos on a phone, one of them in two sizes, and opens another photo then', async () => {
  const phone = await fixture.openIsolatedPage('owner', PHONE)
  const p = wizardOn(phone, fixture.api)
  await phone.goto('/')
  await p.button('Select').click()
  await p.button('Select All').click()
  await p.button('Order prints').click()
  await p.heading('Upload your photos').waitFor()
  await p.upload()
  await p.dialog().getByRole('radio', { name: /4x6/ }).check()
  await p.button(/^Add another size of lake-1/).click()
  await p
    .dialog()
    .getByText(/^6 prints · /)
    .waitFor()
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await p.button('Continue to Store Selection').click()
  await p.chooseStore()
  await p.fillDetails()
  await p.submitButton().tap()
  await p.heading('Order placed').waitFor()
  await phone.goto(`/?photo=${fixture.photoIds[0]}`)
  await phone.getByRole('dialog').getByRole('button', { name: 'Print', exact: true }).waitFor()
  expect(await p.dialog().count()).toBe(0)
  await phone.context().close()
})

describe('an order', () => {
  test('shows changed figures, and is placed only after the confirmation', async () => {
    await w.fillOrder('lake-1')
    await fixture.sandbox.fault({ fault: 'promise-time-changed', times: 1 })
    await w.submitButton().click()
    await says('The order has changed at the store.')
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.button(/^Confirm and order for \$/).click()
    await w.heading('Order placed').waitFor()
    await w.closeComplete()
  })

  test('marks all fields that the server rejects, and the focus stays in the one that is corrected', async () => {
    await w.fillOrder('lake-2')
    const fields = { lastName: 'Last name is too long.', phone: 'Phone is not valid.' }
    const body = JSON.stringify({ code: 'invalid_fields', message: 'Invalid.', fields })
    await page.route('**/submit-order', (route) =>
      route.fulfill({ status: 400, contentType: 'application/json', body }),
    )
    await w.submitButton().click()
    await says(fields.phone)
    const lastName = w.dialog().getByLabel('Last name')
    await expect.poll(() => hasFocus(lastName)).toBe(true)
    await page.keyboard.type('!')
    expect(await hasFocus(lastName)).toBe(true)
    expect(await w.dialog().getByText(fields.lastName).count()).toBe(0)
    expect(await w.dialog().getByText(fields.phone).count()).toBe(1)
    await page.unrouteAll({ behavior: 'wait' })
    await w.discard()
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

  test('says that the store is asked when nobody knows whether it exists, and is not placed twice meanwhile', async () => {
    await w.fillOrder('lake-4')
    await fixture.sandbox.fault({ fault: 'commit-then-drop', times: 1 })
    await w.submitButton().click()
    await w.heading(CHECKING).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.closeComplete()
    await w.fillOrder('lake-4')
    await w.submitButton().click()
    await expect.poll(() => w.banner().textContent()).toContain('already ordered the same prints')
    await w.discard()
  })
})

describe('an order whose response was lost', () => {
  /** The server places the order, and the page gets no response; returns the keys of all requests. */
  async function loseResponse(): Promise<(string | undefined)[]> {
    const keys: (string | undefined)[] = []
    await page.route('**/submit-order', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await w.submitButton().click()
    await says(/it will not be ordered twice/)
    return keys
  }

  test('is checked first when the page is reloaded and the wizard opened again', async () => {
    await w.fillOrder('lake-3')
    const before = await orderCount()
    const keys = await loseResponse()
    await w.discard()
    await page.reload()
    await w.openFromPhoto('lake-3')
    await says('Your last order got no response.')
    expect.soft(await findAxeViolations(page)).toEqual([])
    expect(await w.button('Validate & Upload').isDisabled()).toBe(true)
    await w.button('Check my last order').click()
    await says(/^Your last order was placed: order #\d+\.$/)
    expect(keys).toEqual([keys[0], keys[0]])
    expect(await orderCount()).toBe(before + 1)
    await page.unrouteAll({ behavior: 'wait' })
    await w.upload()
    await w.discard()
  })
})
