import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createLinkCookies,
  createPublicNames,
  isUnlocked,
  type PictureKind,
  type PublicName,
  revisionsOf,
} from '../src/index.ts'

const OLD = 'an-old-key-'.repeat(4)
const NEW = 'a-new-key-'.repeat(4)
const id = fc.integer({ min: 1, max: 2 ** 31 - 1 })
const name: fc.Arbitrary<PublicName> = fc.record({
  photoId: id,
  folderId: id,
  linkRevision: id,
  kind: fc.constantFrom<PictureKind>('original', 'small', 'thumbnail', 'medium', 'preview'),
  extension: fc.constantFrom('webp', 'jpg', 'dng', 'tiff', 'heic'),
})

test('property: a public name says what it was made of, and no change of its text does', () => {
  const names = createPublicNames([OLD])
  fc.assert(
    fc.property(name, name, fc.nat(), fc.constantFrom(...'09azAZ-_.~/%'), (one, other, at, character) => {
      const text = names.sign(one)
      expect(names.verify(text)).toEqual(one)
      expect(text.length).toBeLessThanOrEqual(52)
      const index = at % text.length
      const changed = `${text.slice(0, index)}${character}${text.slice(index + 1)}`
      if (changed !== text) expect(names.verify(changed)).toBeNull()
      expect(names.verify(`${text}.webp`)).toBeNull()
      // Another name with this one's MAC.
      const parts = names.sign(other).split('-')
      const mac = text.slice(-(22 + one.extension.length + 1))
      const forged = `${parts.slice(0, 5).join('-')}-${mac}`
      if (forged !== text) expect(names.verify(forged)).toBeNull()
    }),
  )
})

test('a name of another key is forged; of several keys the first signs and all verify', () => {
  const one: PublicName = { photoId: 1, folderId: 2, linkRevision: 3, kind: 'small', extension: 'webp' }
  const [before, during, after] = [[OLD], [NEW, OLD], [NEW]].map(createPublicNames) as ReturnType<
    typeof createPublicNames
  >[]
  const text = before?.sign(one) as string
  expect([before, during, after].map((names) => names?.verify(text) ?? null)).toEqual([one, one, null])
  expect(after?.verify(during?.sign(one) as string)).toEqual(one)
})

const cookieOf = (cookie: string | null) => cookie?.split(';')[0] as string

test('property: the cookie of links has the last twenty links, several of a folder too, the latest first', () => {
  const { opened } = createLinkCookies([OLD], true)
  const visit = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3 }))
  fc.assert(
    fc.property(fc.array(visit, { maxLength: 60 }), (visits) => {
      let cookie: string | undefined
      let latest: [number, number][] = []
      for (const visited of visits) {
        const added = opened.add(cookie, visited)
        expect(added === null).toBe(String(latest[0]) === String(visited))
        latest = [visited, ...latest.filter((other) => String(other) !== String(visited))].slice(0, 20)
        cookie = added === null ? cookie : cookieOf(added)
        expect(opened.read(cookie)).toEqual(latest)
      }
      for (let folder = 1; folder <= 40; folder += 1) {
        const revisions = latest.filter(([id]) => id === folder).map(([, revision]) => revision)
        expect(revisionsOf(opened.read(cookie), folder)).toEqual(revisions)
      }
    }),
  )
})

test('a cookie that is forged, of another key, another cookie or malformed opens nothing, also after a genuine one', () => {
  const { opened, unlocked } = createLinkCookies([OLD], false)
  const genuine = cookieOf(opened.add(undefined, [5, 1]))
  expect(opened.read(genuine)).toEqual([[5, 1]])
  const signature = genuine.split('~').at(-1)
  const foreign = cookieOf(createLinkCookies([NEW], false).opened.add(undefined, [5, 1]))
  const other = cookieOf(unlocked.add(undefined, [5, 1])).replace('unlocked=', 'links=')
  for (const cookie of [
    `links=5.2~${signature}`,
    `${genuine}x`,
    `${genuine}=`,
    genuine.slice(0, -1),
    'links=',
    'links=~',
    foreign,
    other,
  ]) {
    for (const attempt of [1, 2]) expect(opened.read(cookie), `${cookie} ${attempt}`).toEqual([])
  }
  expect(unlocked.read(genuine.replace('links=', 'unlocked='))).toEqual([])
  expect(createLinkCookies([NEW, OLD], false).opened.read(genuine)).toEqual([[5, 1]])
})

test('a password unlocks its link while it is the same; a link without one needs none', () => {
  const { unlocked } = createLinkCookies([OLD], false)
  const pairs = unlocked.read(cookieOf(unlocked.add(undefined, [7, 3])))
  expect(isUnlocked(pairs, { id: 7, passwordRevision: 3 })).toBe(true)
  for (const link of [
    { id: 7, passwordRevision: 4 },
    { id: 8, passwordRevision: 3 },
  ]) {
    expect(isUnlocked(pairs, link)).toBe(false)
  }
  expect(isUnlocked([], { id: 9, passwordRevision: null })).toBe(true)
})

test('more cookies than are remembered are read as well', () => {
  const { opened } = createLinkCookies([OLD], false)
  const cookies = Array.from({ length: 1500 }, (_, index) => cookieOf(opened.add(undefined, [index + 1, 2])))
  for (const round of [1, 2]) {
    const pairs = cookies.map((cookie) => opened.read(cookie))
    expect(pairs, `round ${round}`).toEqual(cookies.map((_, index) => [[index + 1, 2]]))
  }
})
