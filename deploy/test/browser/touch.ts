import type { Locator, Page } from 'playwright-core'

/** A position on the page, in CSS pixels. */
export type Point = readonly [x: number, y: number]

const STEPS = 6

/** Moves one finger per path at the same time, with the events of a touch screen. */
export async function moveFingers(page: Page, paths: readonly { from: Point; to: Point }[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd'
          ? []
          : paths.map(({ from, to }, id) => ({
              id,
              x: from[0] + (to[0] - from[0]) * share,
              y: from[1] + (to[1] - from[1]) * share,
            })),
    })
  await send('touchStart', 0)
  for (let step = 1; step <= STEPS; step++) await send('touchMove', step / STEPS)
  await send('touchEnd', 1)
  await session.detach()
}

/** Bottom and top edge of an element on the screen, in CSS pixels. */
export async function edgesOf(element: Locator): Promise<{ top: number; bottom: number }> {
  const { y, height } = (await element.boundingBox()) ?? { y: 0, height: 0 }
  return { top: y, bottom: y + height }
}

/** Swipes with one finger. */
export function swipe(page: Page, from: Point, to: Point): Promise<void> {
  return moveFingers(page, [{ from, to }])
}

/** Taps twice with one finger. */
export async function doubleTap(page: Page, at: Point): Promise<void> {
  await page.touchscreen.tap(...at)
  await page.touchscreen.tap(...at)
}
