import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLinkCookie, createPublicNames, type PictureKind, type PublicName } from '../src/index.ts'

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

test('property: the cookie of links has the latest revision of the last twenty folders', () => {
  const links = createLinkCookie([OLD], true)
  const visit = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3 }))
  fc.assert(
    fc.property(fc.array(visit, { maxLength: 60 }), (visits) => {
      let cookie: string | undefined
      const latest = new Map<number, number>()
      for (const [folder, revision] of visits) {
        const added = links.add(cookie, folder, revision)
        const isLast = [...latest].at(-1)?.join() === `${folder},${revision}`
        expect(added === null).toBe(isLast)
        latest.delete(folder)
        latest.set(folder, revision)
        cookie = added === null ? cookie : cookieOf(added)
      }
      const kept = new Map([...latest].slice(-20))
      for (let folder = 1; folder <= 40; folder += 1) {
        expect(links.revisionOf(cookie, folder)).toBe(kept.get(folder) ?? null)
      }
    }),
  )
})

test('a cookie of links that is forged, of another key or malformed opens nothing, also after a genuine one', () => {
  const links = createLinkCookie([OLD], false)
  const genuine = cookieOf(links.add(undefined, 5, 1))
  expect(links.revisionOf(genuine, 5)).toBe(1)
  const signature = genuine.split('~').at(-1)
  const foreign = cookieOf(createLinkCookie([NEW], false).add(undefined, 5, 1))
  for (const cookie of [
    `links=5.2~${signature}`,
    `${genuine}x`,
    `${genuine}=`,
    genuine.slice(0, -1),
    'links=',
    'links=~',
    foreign,
  ]) {
    for (const attempt of [1, 2]) expect(links.revisionOf(cookie, 5), `${cookie} ${attempt}`).toBeNull()
  }
  expect(createLinkCookie([NEW, OLD], false).revisionOf(genuine, 5)).toBe(1)
})

test('more cookies than are remembered are read as well', () => {
  const links = createLinkCookie([OLD], false)
  const cookies = Array.from({ length: 1500 }, (_, index) => cookieOf(links.add(undefined, index + 1, 2)))
  for (const round of [1, 2]) {
    const revisions = cookies.map((cookie, index) => links.revisionOf(cookie, index + 1))
    expect(new Set(revisions), `round ${round}`).toEqual(new Set([2]))
  }
})
