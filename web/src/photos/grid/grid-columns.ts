import type { Box } from '../renditions.ts'

/** The columns of a row of cards; `columnsOf` returns their number. */
export const GRID = 'grid grid-cols-1 gap-x-5 gap-y-7 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4'

/** The width of a card's picture in the columns above: the page without its gutters and the column gaps. */
export function pictureBox(pageWidth: number): Box {
  const page = `min(100vw, ${pageWidth}px)`
  return {
    ratio: 3 / 2,
    widths: [
      { when: '(min-width: 1280px)', width: `calc((${page} - 116px) / 4)` },
      { when: '(min-width: 1024px)', width: `calc((${page} - 96px) / 3)` },
      { when: '(min-width: 640px)', width: 'calc((100vw - 76px) / 2)' },
      { width: 'calc(100vw - 32px)' },
    ],
  }
}
