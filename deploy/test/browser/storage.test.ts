import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import {
  findPhoto,
  listPhotos,
  noisePhoto,
  readJson,
  uploadLakePhotos,
  uploadPhoto,
  waitUntilReady,
} from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// The user watches the statistics and runs out of space.
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await uploadPhoto(fixture.api, 'plain.jpg', await noisePhoto(320))
  await uploadLakePhotos(fixture.api, 1)
})

afterAll(() => fixture?.close())

const figure = (label: string) => page.locator('dl > div').filter({ hasText: label }).locator('dd').textContent()
const uploadDialog = () => page.getByRole('dialog', { name: 'Upload Photos' })
const titles = async () => (await listPhotos(fixture.api)).map(({ title }) => title)

async function choose(...files: [name: string, edge: number][]): Promise<void> {
  const photos = files.map(async ([name, edge]) => {
    return { name, mimeType: 'image/jpeg', buffer: await noisePhoto(edge) }
  })
  await uploadDialog()
    .getByLabel('Photos', { exact: true })
    .setInputFiles(await Promise.all(photos))
}

test('shows statistics at an address of their own, which follow an upload and a deletion', async () => {
  await page.goto('/profile')
  await page.getByRole('tab', { name: 'Profile Information' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('table', { name: 'Storage by folder' }).waitFor()
  expect(new URL(page.url()).search).toBe('?tab=statistics')
  await expect.poll(() => figure('Total Photos')).toBe('2')
  expect(await figure('Unique Locations')).toBe('1')
  const storage = await figure('Storage Used')
  const id = await uploadPhoto(fixture.api, 'new.jpg', await noisePhoto(500))
  await expect.poll(() => figure('Total Photos')).toBe('3')
  await waitUntilReady(fixture.api)
  expect((await fixture.api.delete(`/api/photos/${id}`)).ok()).toBe(true)
  await expect.poll(() => figure('Total Photos')).toBe('2')
  await expect.poll(() => figure('Storage Used')).toBe(storage)
})

describe('a storage quota', () => {
  test('is told in the upload dialog, and only what fits is sent', async () => {
    await fixture.setQuota('pilot', 1)
    const quota = async () => (await readJson<{ quota: number | null }>(fixture.api.get('/api/photos/storage'))).quota
    await expect.poll(quota).toBe(1_048_576)
    await page.goto('/upload')
    await uploadDialog()
      .getByText(/KB of 1\.00 MB used$/)
      .waitFor()
    await choose(['first.jpg', 800], ['second.jpg', 900], ['small.jpg', 300])
    await uploadDialog()
      .getByText(/^These photos take .*, more than the .* that are left\./)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await uploadDialog().getByRole('button', { name: 'Upload', exact: true }).click()
    await uploadDialog().getByText('1 photo does not fit into your storage.').waitFor({ timeout: 30_000 })
    await uploadDialog().getByText('2 of 3 uploaded, 1 needs attention').last().waitFor({ timeout: 30_000 })
    expect.soft(await findAxeViolations(page)).toEqual([])
    expect(await titles()).toEqual(expect.arrayContaining(['first', 'small']))
    expect(await titles()).not.toContain('second')
  })

  test('leads to what uses the storage, and the rest is sent after photos were deleted', async () => {
    await uploadDialog().getByRole('link', { name: 'See what uses your storage' }).first().click()
    await page.getByRole('table', { name: 'Storage by folder' }).waitFor()
    await fixture.api.delete(`/api/photos/${(await findPhoto(fixture.api, 'first')).id}`)
    await page.getByRole('region', { name: 'Upload' }).getByRole('button').first().click()
    await uploadDialog().getByRole('button', { name: 'Retry failed' }).click()
    await expect.poll(titles, { timeout: 30_000 }).toContain('second')
    await waitUntilReady(fixture.api)
  })
})
