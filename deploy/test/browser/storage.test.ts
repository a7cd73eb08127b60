import { dronePhoto } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { findPhoto, listPhotos, noisePhoto, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// The user watches the statistics and runs out of space. The tests are steps of one end-to-end user journey.
const LAKE = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await uploadPhoto(fixture.api, 'lake.jpg', await dronePhoto(LAKE))
  await uploadPhoto(fixture.api, 'plain.jpg', await noisePhoto(320))
  await waitUntilReady(fixture.api)
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const figure = (label: string) => page.locator('dl > div').filter({ hasText: label }).locator('dd').textContent()
const uploadDialog = () => page.getByRole('dialog', { name: 'Upload Photos' })

const asFile = async (name: string, edge: number) => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await noisePhoto(edge),
})

describe('the statistics', () => {
  test('have an address of their own and are reached by keyboard', async () => {
    await page.goto('/profile')
    await page.getByRole('tab', { name: 'Profile Information' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('table', { name: 'Storage by folder' }).waitFor()
    expect(new URL(page.url()).search).toBe('?tab=statistics')
    await page.getByRole('row', { name: /^2016/ }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('follow an upload and a deletion', async () => {
    const before = (await listPhotos(fixture.api)).length
    await expect.poll(() => figure('Total Photos')).toBe(String(before))
    expect(await figure('Unique Locations')).toBe('1')
    const storage = await figure('Storage Used')
    expect(storage).toMatch(/^\d+\.\d\d KB$/)
    await uploadPhoto(fixture.api, 'new.jpg', await noisePhoto(500))
    await expect.poll(() => figure('Total Photos'), { timeout: 15_000 }).toBe(String(before + 1))
    expect(await figure('Storage Used')).not.toBe(storage)
    await waitUntilReady(fixture.api)
    const { id } = await findPhoto(fixture.api, 'new')
    expect((await fixture.api.delete(`/api/photos/${id}`)).ok()).toBe(true)
    await expect.poll(() => figure('Total Photos'), { timeout: 15_000 }).toBe(String(before))
    await expect.poll(() => figure('Storage Used'), { timeout: 15_000 }).toBe(storage)
  })
})

describe('a storage quota', () => {
  test('is shown with what is left', async () => {
    await fixture.setQuota(1)
    const quota = async () => (await readJson<{ quota: number | null }>(fixture.api.get('/api/photos/storage'))).quota
    await expect.poll(quota).toBe(1_048_576)
    await page.goto('/profile?tab=statistics')
    await page.getByText(/KB of 1\.00 MB used$/).waitFor()
    await page.getByText(/KB left$/).waitFor()
  })

  test('is told in the upload dialog, and only what fits is sent', async () => {
    await page.goto('/upload')
    await uploadDialog()
      .getByText(/KB of 1\.00 MB used$/)
      .waitFor()
    const files = [await asFile('first.jpg', 800), await asFile('second.jpg', 900), await asFile('small.jpg', 300)]
    await uploadDialog().getByLabel('Photos', { exact: true }).setInputFiles(files)
    await uploadDialog()
      .getByText(/^These photos take .*, more than the .* that are left\./)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await uploadDialog().getByRole('button', { name: 'Upload', exact: true }).click()
    await uploadDialog().getByText('1 photo does not fit into your storage.').waitFor({ timeout: 30_000 })
    await uploadDialog().getByText('2 of 3 uploaded, 1 needs attention').last().waitFor({ timeout: 30_000 })
    expect.soft(await findAxeViolations(page)).toEqual([])
    const titles = (await listPhotos(fixture.api)).map(({ title }) => title)
    expect(titles).toEqual(expect.arrayContaining(['first', 'small']))
    expect(titles).not.toContain('second')
  })

  test('leads to what uses the storage, and the rest is sent after photos were deleted', async () => {
    await uploadDialog().getByRole('link', { name: 'See what uses your storage' }).first().click()
    await page.getByRole('table', { name: 'Storage by folder' }).waitFor()
    const { id } = await findPhoto(fixture.api, 'first')
    await fixture.api.delete(`/api/photos/${id}`)
    await page.getByRole('region', { name: 'Upload' }).getByRole('button').first().click()
    await uploadDialog().getByRole('button', { name: 'Retry failed' }).click()
    await expect
      .poll(async () => (await listPhotos(fixture.api)).map(({ title }) => title), { timeout: 30_000 })
      .toContain('second')
    await waitUntilReady(fixture.api)
  })

  test('that the server alone knows is an issue of the file, too', async () => {
    await page.route('**/api/photos/known', (route) =>
      route.fulfill({ json: { known: {}, quota: { used: 0, limit: null } } }),
    )
    await page.goto('/upload')
    await uploadDialog()
      .getByLabel('Photos', { exact: true })
      .setInputFiles([await asFile('third.jpg', 1000)])
    await uploadDialog().getByRole('button', { name: 'Upload', exact: true }).click()
    await uploadDialog().getByText('1 photo does not fit into your storage.').waitFor({ timeout: 30_000 })
    await uploadDialog()
      .getByText(/^"third\.jpg" does not fit into your storage: .* of 1\.00 MB left\. Delete photos to upload more\.$/)
      .first()
      .waitFor()
    await page.unroute('**/api/photos/known')
  })

  test('leaves the files in a list that the dialog leads back to, until it is cleared', async () => {
    await uploadDialog().getByRole('button', { name: 'Hide' }).click()
    await page.getByRole('region', { name: 'Upload' }).getByText('1 photo needs your attention').last().waitFor()
    await page.getByRole('link', { name: 'Photos', exact: true }).first().click()
    await button('Upload Photos').first().click()
    await uploadDialog().getByText('1 photo of an earlier upload needs your attention.').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await uploadDialog().getByRole('button', { name: 'Show it' }).click()
    await uploadDialog().getByRole('button', { name: 'Retry failed' }).waitFor()
    await uploadDialog().getByRole('button', { name: 'Clear list' }).click()
    await expect.poll(() => page.getByRole('region', { name: 'Upload' }).count()).toBe(0)
  })
})

test('nothing failed in the background', () => {
  expect(fixture.pageErrors).toEqual([])
})
