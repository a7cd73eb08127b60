import { waitFor } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import { findPhoto, uploadLakePhotos } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { CUSTOMER, type SandboxControl } from './print-orders.ts'

export const ZIP = '55804'
export const CHECKING = 'We are checking with the store. Do not order again yet.'

export interface PrintFixture extends OwnerFixture {
  photoIds: number[]
}

/** An owner with this number of photos: 'lake-1', 'lake-2' and so on. */
export async function startPrintFixture(photos: number): Promise<PrintFixture> {
  const fixture = await startOwnerFixture()
  const photoIds = await uploadLakePhotos(fixture.api, photos)
  await fixture.sandbox.turnClockToMorning()
  return { ...fixture, photoIds }
}

/** The print wizard on a page. */
export function wizardOn(page: Page, api: OwnerFixture['api']) {
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true })
  const dialog = () => page.getByRole('dialog', { name: 'Order Prints' })
  const stores = () => dialog().getByRole('group', { name: 'Store' }).getByRole('radio')

  /** Opens the wizard from the dialog of a photo. */
  async function openFromPhoto(title: string): Promise<void> {
    const { id } = await findPhoto(api, title)
    await page.goto(`/?photo=${id}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Print', exact: true }).click()
    await heading('Upload your photo').waitFor()
  }

  async function upload(): Promise<void> {
    await button('Validate & Upload').click()
    await heading('Choose the print size').waitFor()
  }

  async function chooseSize(): Promise<void> {
    await dialog().getByRole('radio', { name: /4x6/ }).check()
    await button('Continue to Store Selection').click()
  }

  async function chooseStore(): Promise<void> {
    await dialog().getByLabel('Location').fill(ZIP)
    await dialog().getByLabel('Location').press('Enter')
    await stores().first().check()
    await button('Continue to Order Details').click()
  }

  async function fillDetails(): Promise<void> {
    // The account's details arrive in empty fields. Between `fill`'s selection and its input they would stay in the field.
    const email = dialog().getByLabel('Email')
    await waitFor(async () => (await email.inputValue()) !== '', { what: "the account's email is in the form" })
    await dialog().getByLabel('First name').fill(CUSTOMER.firstName)
    await dialog().getByLabel('Last name').fill(CUSTOMER.lastName)
    await email.fill(CUSTOMER.email)
    await dialog().getByLabel('Phone').fill('(218) 555-0199')
    await dialog()
      .getByRole('checkbox', { name: /^I agree/ })
      .check()
  }

  return {
    button,
    heading,
    dialog,
    stores,
    openFromPhoto,
    upload,
    chooseSize,
    chooseStore,
    fillDetails,
    banner: () => dialog().getByRole('alert').first(),
    submitButton: () => button(/^Submit Order - \$/),
    /** From the first step to the last input before the submit. */
    async fillOrder(title: string): Promise<void> {
      await openFromPhoto(title)
      await upload()
      await chooseSize()
      await chooseStore()
      await fillDetails()
    },
    async discard(): Promise<void> {
      await page.keyboard.press('Escape')
      await button('Discard').click()
      await dialog().waitFor({ state: 'detached' })
    },
    async closeComplete(): Promise<void> {
      await button('Close').last().click()
      await dialog().waitFor({ state: 'detached' })
    },
    async orderNumber(): Promise<string> {
      return ((await dialog().getByText(/^#\d+/).textContent()) ?? '').slice(1)
    },
    /** The status of the sandbox's last order, once it is printed, as /orders shows it. */
    async followToPickup(sandbox: SandboxControl, vendorOrderId: string): Promise<void> {
      await sandbox.turnClockUntilReady(vendorOrderId)
      const card = page.getByRole('article', { name: `Order #${vendorOrderId}`, exact: true })
      // The page asks for fresh statuses when it is opened; within 5 s of the last time that changes nothing.
      const isReady = async () => {
        await page.reload()
        const ready = card.getByText('Ready for Pickup!', { exact: true }).waitFor({ timeout: 6_000 })
        return ready.then(
          () => true,
          () => false,
        )
      }
      await waitFor(isReady, { what: `order ${vendorOrderId} is shown as ready`, timeoutMs: 40_000 })
    },
  }
}

export type WizardPage = ReturnType<typeof wizardOn>
