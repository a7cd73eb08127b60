import type { PhotoStanding } from './tallies.ts'

const HEADS = ['Place', 'Photo', 'Title', 'Firsts', 'Seconds', 'Thirds', 'Points', 'Voters']

/**
 * Spreadsheets take a text that begins like this for a formula, some also in full width or after what does not show;
 * after an apostrophe it is a text.
 */
const FORMULA = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}

/** The standings as a file for spreadsheets: UTF-8 with its mark, lines as RFC 4180 wants them. */
export function standingsCsv(photos: PhotoStanding[]): string {
  const rows = photos.map(({ photoId, title, first, second, third, points, voters }, index) => [
    // Without votes there is no place to speak of.
    voters > 0 ? index + 1 : '',
    photoId,
    title || 'Untitled',
    ...[first, second, third, points, voters],
  ])
  return `\uFEFF${[HEADS, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`
}
