import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { readJson } from './gallery-photos.ts'
import { hasFocus, type PrintFixture, startPrintFixture, type WizardPage, wizardOn, ZIP } from './wizard-page.ts'

// The print wizard, from a photo on the screen to 'Ready for Pickup!', against the partner's sandbox.
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

describe('one photo', () => {
  test('is uploaded with progress, and the products follow', async () => {
    await w.openFromPhoto('lake-1')
    await w.dialog().getByText('Sandbox: nothing is printed', { exact: true }).waitFor()
    expect(await hasFocus(w.heading('Upload your photo'))).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.button('Validate & Upload').click()
    await page.getByText('Image Uploaded', { exact: true }).waitFor()
    await w.heading('Choose the print size').waitFor()
    expect(await hasFocus(w.heading('Choose the print size'))).toBe(true)
  })

  test('gets a size, a quantity and a crop', async () => {
    expect(await w.button('Continue to Store Selection').isDisabled()).toBe(true)
    await w.dialog().getByRole('radio', { name: /4x6/ }).check()
    const quantity = w.dialog().getByLabel('Quantity', { exact: true })
    await quantity.fill('5000')
    expect(await quantity.inputValue()).toBe('999')
    await quantity.fill('2')
    const frame = w.dialog().getByRole('button', { name: /^Printed part of lake-1/ })
    const before = await frame.boundingBox()
    await frame.press('Shift+ArrowLeft')
    await frame.press('Shift+ArrowUp')
    expect(await frame.boundingBox()).not.toEqual(before)
    await frame.press('Escape')
    await frame.waitFor({ state: 'detached' })
    expect(await hasFocus(w.button(/^Adjust crop of lake-1/))).toBe(true)
    await w
      .dialog()
      .getByText(/\d+ dpi/)
      .first()
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.button('Continue to Store Selection').click()
  })

  test('needs a store, and says why it does not know the location', async () => {
    await expect
      .poll(() => w.banner().textContent())
      .toMatch(/^Location access denied\. .*enter your ZIP code below\.$/)
    expect(await w.button('Continue to Order Details').isDisabled()).toBe(true)
    await w.dialog().getByLabel('Location').press('Enter')
    await w.dialog().getByText('Please enter a ZIP code, city, or state to find stores.', { exact: true }).waitFor()
    await w.dialog().getByLabel('Location').fill(ZIP)
    await w.dialog().getByLabel('Location').press('Enter')
    await w.stores().first().check()
    await w
      .dialog()
      .getByText(/^\d+\.\d miles$/)
      .first()
      .waitFor()
    await w
      .dialog()
      .getByText(/^(Open|Closed) now$/)
      .first()
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await w.button('Continue to Order Details').click()
  })

  test('needs the details and the terms', async () => {
    await w.heading('Order details').waitFor()
    await w.fillDetails()
    await w.dialog().getByLabel('Phone').fill('')
    expect(await w.submitButton().isDisabled()).toBe(true)
    await w.dialog().getByLabel('Phone').fill('(218) 555-0199')
    const terms = w.dialog().getByRole('checkbox', { name: /^I agree/ })
    await terms.uncheck()
    expect(await w.submitButton().isDisabled()).toBe(true)
    await w
      .dialog()
      .getByText('Please accept the Terms of Use and Privacy Policy to continue with your order.', { exact: true })
      .waitFor()
    const [page2] = await Promise.all([
      page.context().waitForEvent('page'),
      w
        .dialog()
        .getByRole('link', { name: /^Terms of Use/ })
        .click(),
    ])
    await page2.getByRole('heading', { name: 'Terms of Use', exact: true }).waitFor()
    await page2.getByText('Your photos remain yours.').waitFor()
    await page2.close()
    await terms.check()
  })

  test('takes a coupon that the partner accepts', async () => {
    const code = w.dialog().getByLabel('Coupon code (optional)')
    await code.fill('nonsense')
    expect(await code.inputValue()).toBe('NONSENSE')
    await w.button('Validate').click()
    await w.dialog().getByText('Invalid coupon code', { exact: true }).waitFor()
    await code.fill('partner50')
    await w.button('Validate').click()
    await page.getByText('Coupon Not Available', { exact: true }).waitFor()
    await code.fill('print25')
    await w.button('Validate').click()
    await w.dialog().getByText('Coupon applied successfully', { exact: true }).waitFor()
    await w.dialog().getByText('Coupon discount', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('keeps everything over a reload and the back button', async () => {
    await page.reload()
    await w.heading('Order details').waitFor()
    expect(await w.dialog().getByLabel('Phone').inputValue()).toBe('(218) 555-0199')
    await page.goBack()
    await w.heading('Choose a store').waitFor()
    expect(await w.stores().first().isChecked()).toBe(true)
    await w.button('Continue to Order Details').click()
    expect(
      await w
        .dialog()
        .getByRole('checkbox', { name: /^I agree/ })
        .isChecked(),
    ).toBe(true)
  })

  test('is ordered once by a double click, and is ready for pickup in the end', async () => {
    const { length: before } = await readJson<unknown[]>(fixture.api.get('/api/walgreens/orders'))
    await w.submitButton().dblclick()
    await w.heading('Order placed').waitFor()
    await page.getByText('Order Submitted Successfully!', { exact: true }).waitFor()
    await w.dialog().getByText('Processing', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    const id = await w.orderNumber()
    expect((await fixture.sandbox.lastOrder()).vendorOrderId).toBe(id)
    expect(await readJson<unknown[]>(fixture.api.get('/api/walgreens/orders'))).toHaveLength(before + 1)
    await w.button('View All Orders').click()
    await page.waitForURL('**/orders')
    await w.dialog().waitFor({ state: 'detached' })
    await w.followToPickup(fixture.sandbox, id)
  })
})

test('a phone orders five photos, one of them in two sizes', async () => {
  const phone = await fixture.openIsolatedPage('owner', { viewport: { width: 390, height: 844 }, hasTouch: true })
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
  const id = await p.orderNumber()
  await p.button('View All Orders').click()
  await phone.waitForURL('**/orders')
  await p.followToPickup(fixture.sandbox, id)
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
