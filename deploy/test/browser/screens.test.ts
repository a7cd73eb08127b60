import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { fillGallery, findPhoto, sharePhotos } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { recordLayoutShifts, shiftsOf } from './page-weight.ts'

// Every screen on a phone and on a desktop, as it is before anything is done on it. States that take steps are checked
// by the journeys. `:code`, `:folder` and `:photo` stand for those of the fixture.
const VISITOR_SCREENS: [path: string, text: string | RegExp][] = [
  ['/auth', 'Welcome back'],
  ['/forgot-password', 'Forgot your password?'],
  ['/reset-password#token=x', 'Choose a new password'],
  ['/confirm-email#token=x', 'Confirm your email address'],
  ['/revert-email#token=x', 'Change your email address back'],
  ['/terms', 'Terms of Use'],
  ['/privacy', 'Privacy Policy'],
  ['/api-docs', 'Skyfolio API'],
  ['/no/such/page', '404 Page Not Found'],
  ['/share/:code', 'Above the water'],
  ['/viewer/:code', 'View Only'],
  ['/browse/:code', 'Above the water'],
  ['/share/:code/results', 'The results are not published yet'],
  ['/share/AAAAAAAAAAAAAAAA', 'Folder Not Found'],
]
const OWNER_SCREENS: [path: string, text: string | RegExp][] = [
  ['/', 'plain'],
  ['/?view=map', 'Newest flights'],
  ['/?photo=:photo', 'DJI FC300S'],
  ['/upload', 'Upload requirements'],
  ['/folders', 'Above the water'],
  ['/folders/:folder', 'plain'],
  ['/folders/:folder/present', 'No votes yet'],
  ['/folders/999999', 'Folder not found'],
  ['/flights', /^Duluth/],
  ['/flights/999999', 'Flight not found'],
  ['/orders', 'No Orders Yet'],
  ['/orders/99999999', 'Order not found'],
  ['/metadata', 'No photos uploaded yet'],
  ['/profile', 'Profile Information'],
  ['/profile?tab=statistics', 'Storage by folder'],
  ['/admin', 'Administration'],
  ['/admin?tab=statistics', 'Total Users'],
  ['/admin?tab=api', 'Production'],
  ['/admin?tab=printing', 'v3/fetch-credentials'],
  ['/admin?tab=jobs', 'whose attempts all failed'],
  ['/admin?tab=audit', "Looking at another user's private photo is recorded"],
  ['/admin?tab=deletions', 'Administration'],
]

const edgesOfPage = (page: Page) =>
  page.locator('.page').evaluateAll((parts) =>
    parts.map((part) => {
      const { left, right } = part.getBoundingClientRect()
      return `${left} to ${right}`
    }),
  )

const SIZES = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]

let fixture: OwnerFixture
let pages: Record<'owner' | 'visitor', Page>
const ids: Record<string, string> = {}
const hosts = new Set<string>()

beforeAll(async () => {
  fixture = await startOwnerFixture()
  await fillGallery(fixture.api)
  const folder = await sharePhotos(fixture.api, 'Above the water')
  const { id } = await findPhoto(fixture.api, 'lake-1')
  Object.assign(ids, { ':code': folder.shareCode, ':folder': folder.id, ':photo': id })
  await fixture.grantAdmin('pilot')
  pages = { owner: fixture.page, visitor: await fixture.openIsolatedPage('visitor') }
  for (const page of Object.values(pages)) {
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await recordLayoutShifts(page)
  }
})

afterAll(() => fixture?.close())

describe.each([
  ['visitor', VISITOR_SCREENS],
  ['owner', OWNER_SCREENS],
] as const)('the %s', (who, screens) => {
  test.each(screens)(
    'sees %s in the width of phone and desktop, without a problem that axe finds',
    async (path, text) => {
      const page = pages[who]
      for (const size of SIZES) {
        await page.setViewportSize(size)
        await page.goto('about:blank')
        await page.goto(path.replace(/:[a-z]+/, (name) => ids[name] ?? name))
        await page.getByText(text).filter({ visible: true }).first().waitFor()
        await page.waitForLoadState('networkidle')
        expect.soft(await findAxeViolations(page), `${size.width} pixels`).toEqual([])
        expect.soft(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width)
        // The presenter has no frame.
        const widths = path.endsWith('/present') ? 0 : 1
        expect.soft(new Set(await edgesOfPage(page)).size, 'bar, page and footer have one width').toBe(widths)
        if (path === '/auth') expect.soft(await shiftsOf(page)).toBeLessThan(0.02)
      }
    },
  )
})

test('loads nothing from any other host', () => {
  expect([...hosts]).toEqual([new URL(fixture.url).host])
})
