import { expect, test } from 'vitest'
import { standingsCsv } from '../src/voting/standings.ts'

function titleCell(title: string): string | undefined {
  const [, line] = standingsCsv([{ photoId: 7, title, first: 0, second: 0, third: 0, points: 0, voters: 0 }]).split(
    '\r\n',
  )
  return line?.slice('"",7,'.length, -',0,0,0,0,0'.length)
}

test('prevents titles from becoming formulas, also in full width or after invisible characters', () => {
  for (const title of [
    '=1',
    '+1',
    '-1',
    '@a',
    '＝1',
    '＋1',
    '－1',
    '＠a',
    '\u200b=1',
    ' \ufeff＝1',
    '\u202e@a',
    '\tx',
  ]) {
    expect(titleCell(title)).toBe(`"'${title}"`)
  }
})

test('quotes other titles and leaves them unchanged', () => {
  for (const title of ['Lake; =1', 'a=b', '2026-01', 'Ünder „Wald“']) expect(titleCell(title)).toBe(`"${title}"`)
  expect(titleCell('say "yes"; no')).toBe('"say ""yes""; no"')
})
