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

/** The names of the controls that the toast covers: those that could be used if it were not there. */
export function controlsUnderToast(page: Page): Promise<string[]> {
  return page.locator('[data-toasts] li').evaluate((toast: HTMLElement) => {
    const box = toast.getBoundingClientRect()
    toast.style.visibility = 'hidden'
    const covered = [...document.querySelectorAll('a, button, input, select, textarea, label, [tabindex="0"]')].filter(
      (control) => {
        const { left, right, top, bottom } = control.getBoundingClientRect()
        const [fromX, toX] = [Math.max(left, box.left), Math.min(right, box.right)]
        const [fromY, toY] = [Math.max(top, box.top), Math.min(bottom, box.bottom)]
        if (fromX >= toX || fromY >= toY || toast.contains(control)) return false
        return control.contains(document.elementFromPoint((fromX + toX) / 2, (fromY + toY) / 2))
      },
    )
    toast.style.visibility = ''
    return covered.map((control) => control.getAttribute('aria-label') ?? control.textContent ?? control.tagName)
  })
}
