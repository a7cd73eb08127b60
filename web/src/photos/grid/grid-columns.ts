import type { Box } from '../renditions.ts'

/** The columns of a row of cards; `columnsOf` returns their number. */
export const GRID =
  'grid grid-cols-1 gap-x-5 gap-y-7 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4 min-[1600px]:grid-cols-[repeat(auto-fill,minmax(260px,1fr))]'

/** The box of a card's picture. */
export function pictureBox(cardWidth: number): Box {
  return { ratio: 3 / 2, widths: [{ width: `${Math.ceil(cardWidth)}px` }] }
}
