import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseXmp } from '../src/metadata/parse-xmp.ts'

const packet = (inside: string, attributes = '') =>
  `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description rdf:about="A"${attributes}>${inside}</rdf:Description></rdf:RDF></x:xmpmeta>`

test('reads attributes, elements, lists and nested tags under their prefixes', () => {
  const inside = `
    <drone-dji:RelativeAltitude>+39.80</drone-dji:RelativeAltitude>
    <dc:title><rdf:Alt><rdf:li xml:lang="x-default">A &amp; B &#x263A;</rdf:li></rdf:Alt></dc:title>
    <dc:subject><rdf:Bag><rdf:li>one</rdf:li><rdf:li>two</rdf:li></rdf:Bag></dc:subject>
    <xmpMM:History><rdf:Seq><rdf:li stEvt:action="saved"/><rdf:li stEvt:action='derived' /></rdf:Seq></xmpMM:History>`
  expect(parseXmp(packet(inside, ' drone-dji:RtkFlag="50"\n dc:format="a > b"'))).toEqual({
    'XMP-rdf': { about: 'A' },
    'XMP-drone-dji': { RtkFlag: '50', RelativeAltitude: '+39.80' },
    'XMP-dc': { format: 'a > b', title: 'A & B ☺', subject: ['one', 'two'] },
    'XMP-xmpMM': { 'History.action': ['saved', 'derived'] },
  })
})

test('identifies a namespace by its URI, whatever its prefix is', () => {
  expect(parseXmp(packet('', ' xmlns:ns1="http://www.dji.com/drone-dji/1.0/" ns1:RtkFlag="50"'))).toMatchObject({
    'XMP-drone-dji': { RtkFlag: '50' },
  })
  const uris = ['https://www.skydio.com/drone-skydio/1.0/', 'http://www.skydio.com/drone-skydio/1.0']
  for (const uri of uris) {
    const expected = { 'XMP-drone-skydio': { 'CameraOrientationNED.Yaw': '127.4' } }
    const namespace = ` xmlns:s="${uri}"`
    expect(parseXmp(packet('<s:CameraOrientationNED s:Yaw="127.4"/>', namespace))).toMatchObject(expected)
    for (const [start, end] of [
      ['<s:CameraOrientationNED rdf:parseType="Resource">', '</s:CameraOrientationNED>'],
      ['<s:CameraOrientationNED><rdf:Description>', '</rdf:Description></s:CameraOrientationNED>'],
    ])
      expect(parseXmp(packet(`${start}<s:Yaw>127.4</s:Yaw>${end}`, namespace))).toMatchObject(expected)
  }
})

test('does not let a file change Object.prototype', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString']
  const inside = names.map((name) => `<${name}:Make>evil</${name}:Make><dc:${name}>evil</dc:${name}>`).join('')
  const tags = parseXmp(packet(inside))
  expect(({} as { Make?: string }).Make).toBeUndefined()
  expect(Object.getPrototypeOf(tags['XMP-dc'])).toBeNull()
  expect(typeof {}.toString).toBe('function')
})

test('returns valid groups, whatever the packet', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '/',
      '=',
      '<a:b',
      '</a:b>',
      '<?',
      '<!--',
      '&#',
      ' a:c="',
      'xmlns:a="',
      '<rdf:li>',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const groups = parseXmp(parts.join(''))
      for (const [group, tags] of Object.entries(groups)) {
        expect(group).toMatch(/^XMP-[\w.-]+$/)
        for (const value of Object.values(tags ?? {}))
          expect(typeof value === 'string' || Array.isArray(value)).toBe(true)
      }
    }),
    { numRuns: 2000 },
  )
})

const MEGABYTE = 1_000_000
const repeated = (piece: string) => piece.repeat(MEGABYTE / piece.length)

test.each(
  [
    ...['<', '<a:b ', '<a:b c:d="', '<!', '<a:b>', '<a:b c:d="1">x', '"', '&#x', '<a:b c:d="&#x"/>', ' '],
    ...["<a:b c='d' ", "c:d='' ", '<a:b></a:b>', '&#x', '=', "'"],
  ].map(repeated),
)('reads a packet of a megabyte of the same piece (%#) with little work', (packet) => expectLittleWork(packet))

// Long runs of what could be a name, a value or a space, with what could come before and after them.
test.each(
  ['a', ' ', '=', '/', 'a:', ' a', '\n', '&', '1', '\0'].flatMap((run) =>
    ['<', '<a:b ', '<a:b c:d', '<a:b c:d="'].map((before) => [before, run]),
  ),
)('reads %j followed by a megabyte of %j with little work', (before, run) => {
  for (const after of ['', '<', '></a:b>', '"', '="x"/>', '"/>']) expectLittleWork(before + repeated(run) + after)
})

/** Measures CPU time, which a busy machine does not change. Work that is not linear takes minutes. */
function expectLittleWork(packet: string): void {
  const before = process.threadCpuUsage()
  const groups = parseXmp(packet)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000_000).toBeLessThan(5)
  expect(JSON.stringify(groups).length).toBeLessThan(7 * MEGABYTE)
}
