import axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'

/** Runs axe on the current page, or on one frame of it, in light and dark theme. Returns '<theme> <rule>: <element>, <reason>' per violation. */
export async function findAxeViolations(page: Page, frame: Page | Frame = page): Promise<string[]> {
  const found: string[] = []
  if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(axe.source)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await frame.waitForFunction(isSettled, theme)
    const violations = await frame.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
      return (await axe.run({ resultTypes: ['violations'] })).violations
    })
    for (const { id, nodes } of violations) {
      found.push(
        ...nodes.map(
          ({ target, failureSummary }) => `${theme} ${id}: ${target}, ${failureSummary?.replaceAll(/\s+/g, ' ')}`,
        ),
      )
    }
  }
  return found
}

/** Runs in the page: the theme is applied (the mailbox has none of its own) and no transition runs, which would falsify the contrast. */
function isSettled(theme: string): boolean {
  const moving = document
    .getAnimations()
    .some(({ playState, effect }) => playState === 'running' && effect?.getTiming().iterations !== Infinity)
  return (document.documentElement.dataset.theme ?? theme) === theme && !moving
}
