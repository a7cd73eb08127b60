import type { PhotoStanding } from './standings.ts'

const HEADINGS = ['Place', 'Photo', 'Title', 'Firsts', 'Seconds', 'Thirds', 'Points', 'Voters']

/**
 * Spreadsheets treat a text that starts like this as a formula, also with full-width characters or after invisible ones.
 * A leading apostrophe makes it a text.
 */
const FORMULA = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

/** The standings as a CSV file for spreadsheets: UTF-8 with a byte order mark, lines as in RFC 4180. */
export function standingsCsv(photos: PhotoStanding[]): string {
  const rows = photos.map(({ photoId, title, first, second, third, points, voters }, index) => [
    // A photo without votes has no position.
    voters > 0 ? index + 1 : '',
    photoId,
    title || 'Untitled',
    ...[first, second, third, points, voters],
  ])
  return `\uFEFF${[HEADINGS, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}
