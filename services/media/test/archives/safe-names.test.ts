import { expect, test } from 'vitest'
import { createUniqueNames, safeFileName, safeFolderName } from '../../src/archives/safe-names.ts'

const fileName = (name: string) => safeFileName(name, 'photo.jpg')

test.each([
  ['DJI_0001.JPG', 'DJI_0001.JPG'],
  ['Küste – 日本.jpg', 'Küste – 日本.jpg'],
  ['../../etc/passwd.jpg', '_.._etc_passwd.jpg'],
  ['..\\..\\x.jpg', '_.._x.jpg'],
  ['/absolute.jpg', '_absolute.jpg'],
  ['C:\\x.jpg', 'C__x.jpg'],
  ['a<b>c:d"e|f?g*h.jpg', 'a_b_c_d_e_f_g_h.jpg'],
  ['line\nbreak\0\x7f.jpg', 'linebreak.jpg'],
  ['invoice\u202egpj.exe.jpg', 'invoicegpj.exe.jpg'],
  ['zero\u200bwidth\ufeff.jpg', 'zerowidth.jpg'],
  ['half \ud800 pair.jpg', 'half pair.jpg'],
  ['CON', '_CON'],
  ['con.jpg', '_con.jpg'],
  ['Lpt1 .tar.jpg', '_Lpt1 .tar.jpg'],
  ['COM¹.jpg', '_COM¹.jpg'],
  ['Console.jpg', 'Console.jpg'],
  ['trailing. . .', 'trailing'],
  ['.hidden.jpg', 'hidden.jpg'],
  [' .jpg', 'photo.jpg'],
  ['. .jpg', 'photo.jpg'],
  ['-rf.jpg', '_-rf.jpg'],
  ['. --checkpoint=1.jpg', '_--checkpoint=1.jpg'],
  ['..', 'photo.jpg'],
  ['', 'photo.jpg'],
  [' \u200b ', 'photo.jpg'],
  ['e\u0301.jpg', 'é.jpg'],
])('%j becomes %j', (name, safe) => {
  expect(fileName(name)).toBe(safe)
})

test('names are short, keep their extension, and end with whole characters', () => {
  expect(fileName(`${'x'.repeat(300)}.jpeg`)).toBe(`${'x'.repeat(80)}.jpeg`)
  const emoji = fileName(`${'🛸'.repeat(300)}.dng`)
  expect(Buffer.byteLength(emoji)).toBeLessThanOrEqual(220)
  expect(emoji).toMatch(/^(🛸)+\.dng$/u)
  expect(fileName(`${'x'.repeat(79)}q\u0323\u0307.jpg`)).toBe(`${'x'.repeat(79)}.jpg`)
  expect(fileName(`a.${'x'.repeat(300)}`).length).toBeLessThanOrEqual(80)
  expect(safeFolderName('y'.repeat(200), 'Folder 1')).toHaveLength(60)
  expect(safeFolderName(`${'y'.repeat(59)}. z`, 'Folder 1')).toBe('y'.repeat(59))
})

test('names of folders are safe too', () => {
  expect(safeFolderName('../Trip: day 1/2?', 'Folder 1')).toBe('_Trip_ day 1_2_')
  expect(safeFolderName('NUL', 'Folder 1')).toBe('_NUL')
  expect(safeFolderName('...', 'Folder 1')).toBe('Folder 1')
  expect(safeFolderName(' -rf', 'Folder 1')).toBe('_-rf')
})

test('names that some system takes for the same are numbered', () => {
  const unique = createUniqueNames()
  expect(['a.jpg', 'A.JPG', 'a (2).jpg', 'a.jpg', 'Straße.jpg', 'STRASSE.jpg'].map(unique)).toEqual([
    'a.jpg',
    'A (2).JPG',
    'a (2) (2).jpg',
    'a (3).jpg',
    'Straße.jpg',
    'STRASSE (2).jpg',
  ])
  expect(unique('ﬁne.jpg')).toBe('ﬁne.jpg')
  expect(unique('fine.jpg')).toBe('fine (2).jpg')
  expect(unique('2024.06 Trip')).toBe('2024.06 Trip')
  expect(unique('2024.06 trip')).toBe('2024.06 trip (2)')
})

test('many equal names stay different without a long search', () => {
  const unique = createUniqueNames()
  const names = Array.from({ length: 20_000 }, () => unique('DJI_0001.JPG'))
  expect(new Set(names).size).toBe(20_000)
  expect(names.at(-1)).toBe('DJI_0001 (20000).JPG')
})

test('a long row of dots and spaces inside a name costs as little as letters', () => {
  expect(fileName(`${'. '.repeat(100_000)}x.jpg`)).toBe('photo.jpg')
})
