import type { Page } from 'playwright-core'

/** Adds up the layout shifts of the page from its next navigation on. */
export async function recordLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const total = { shifts: 0 }
    Object.assign(globalThis, { total })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) total.shifts += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

export const shiftsOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { total: { shifts: number } }).total.shifts)

interface PageWeight {
  requests: number
  kilobytes: number
  /** Of JavaScript. */
  scriptKilobytes: number
}

/** What the page has loaded so far, compressed as it was sent, without the photos. */
export function weightOf(page: Page): Promise<PageWeight> {
  return page.evaluate(() => {
    const entries = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[]
    const loaded = entries.filter(({ name }) => !name.includes('/api/uploads/'))
    const sizeOf = (some: PerformanceResourceTiming[]) =>
      Math.round(some.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1024)
    const scripts = loaded.filter(({ name }) => name.endsWith('.js'))
    return { requests: loaded.length, kilobytes: sizeOf(loaded), scriptKilobytes: sizeOf(scripts) }
  })
}
