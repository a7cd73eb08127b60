import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type BallotFile,
  type BallotGroup,
  countBallots,
  digestBallots,
  digestEntry,
  RULE,
} from '../src/contests/count.ts'
import { parseBallotFile, recount } from '../src/contests/recount.ts'

const PHOTOS = [3, 1, 2, 5]
const choice = fc.constantFrom(null, ...PHOTOS)
const group = fc
  .record({
    first: choice,
    second: choice,
    third: choice,
    excluded: fc.boolean(),
    count: fc.integer({ min: 1, max: 40 }),
  })
  .filter(({ first, second, third }) => {
    const chosen = [first, second, third].filter((photo) => photo !== null)
    return chosen.length > 0 && new Set(chosen).size === chosen.length
  })
const groups = fc.uniqueArray(group, {
  selector: ({ first, second, third, excluded }) => `${first} ${second} ${third} ${excluded}`,
})

/** As a service that counted these ballots writes the file. */
function fileOf(ballots: BallotGroup[]): BallotFile {
  const { ballots: counted, excluded } = countBallots(ballots, PHOTOS)
  const content = {
    folder: { id: 7, name: 'Lake' },
    salt: 'a1b2',
    closedAt: '2026-05-01T20:00:00.000Z',
    photos: PHOTOS.map((id) => ({ id, title: `Photo ${id}` })),
    ballots,
  }
  const entry = {
    at: '2026-05-01T20:00:00.000Z',
    ballots: counted,
    excluded,
    note: 'closed by time',
    ballotsDigest: digestBallots(content),
  }
  const digest = digestEntry('', entry)
  return {
    rule: RULE,
    ...content,
    log: [{ ...entry, digest }],
    digest,
  }
}

test('a count is the same as one ballot by ballot, and its digest does not depend on their order', () => {
  fc.assert(
    fc.property(groups, (ballots) => {
      const points = new Map<number, number[]>()
      for (const { first, second, third, excluded, count } of ballots) {
        for (let one = 0; one < count && !excluded; one++) {
          ;[first, second, third].forEach((photo, index) => {
            if (photo === null) return
            const [sum = 0, ...ranks] = points.get(photo) ?? [0, 0, 0, 0]
            ranks[index] = (ranks[index] ?? 0) + 1
            points.set(photo, [sum + 3 - index, ...ranks])
          })
        }
      }
      const expected = [...points].sort(([one, a], [other, b]) => {
        const byVotes = [0, 1, 2]
          .map((index) => (b[index] ?? 0) - (a[index] ?? 0))
          .find((difference) => difference !== 0)
        return byVotes ?? PHOTOS.indexOf(one) - PHOTOS.indexOf(other)
      })
      const { tallies } = countBallots(ballots, PHOTOS)
      expect(
        tallies.map(({ photoId, points, first, second, third }) => [photoId, [points, first, second, third]]),
      ).toEqual(expected)
      const file = fileOf(ballots)
      expect(digestBallots({ ...file, ballots: [...ballots].reverse() })).toBe(digestBallots(file))
    }),
  )
})

test('a recount agrees with the file of the service, and finds every change of it', () => {
  fc.assert(
    fc.property(
      groups.filter((all) => all.length > 0),
      fc.nat(),
      (ballots, seed) => {
        const file = fileOf(ballots)
        expect(recount(file)).toMatchObject({ agrees: true, text: expect.stringContaining('agree with the log') })
        const at = seed % ballots.length
        const changed = (change: Partial<BallotGroup>) => ({
          ...file,
          ballots: ballots.map((one, index) => (index === at ? { ...one, ...change } : one)),
        })
        const one = ballots[at] as BallotGroup
        const last = file.log[0] as BallotFile['log'][number]
        for (const forged of [
          changed({ count: one.count + 1 }),
          changed({ excluded: !one.excluded }),
          changed({
            first: one.second,
            second: one.first,
            third: one.third ?? null,
            ...(one.first === one.second && { count: 99 }),
          }),
          { ...file, ballots: ballots.filter((_, index) => index !== at) },
          { ...file, log: [{ ...last, note: 'photos changed' }] },
          { ...file, log: [{ ...last, ballots: last.ballots + 1 }] },
          { ...file, digest: digestEntry('x', last) },
          { ...file, log: [] },
          { ...file, photos: [...file.photos].reverse() },
          { ...file, photos: file.photos.map(({ id, title }) => ({ id, title: id === at ? title : `${title}!` })) },
          { ...file, closedAt: '2026-05-01T20:00:01.000Z' },
          { ...file, salt: 'b2a1' },
          { ...file, folder: { ...file.folder, id: 8 } },
          { ...file, rule: 'The owner decides.' },
        ]) {
          expect(recount(forged).agrees).toBe(false)
        }
      },
    ),
  )
})

test('no file controls the terminal of who counts again', () => {
  const file = fileOf([{ first: 3, second: null, third: null, excluded: false, count: 1 }])
  const [photo, ...others] = file.photos
  const { text } = recount({ ...file, photos: [{ ...photo, id: 3, title: '\u001b[2Jgone\u202e' }, ...others] })
  expect(text).toContain('[2Jgone (photo 3)')
  expect(text).not.toContain('\u001b')
  const [entry] = file.log
  for (const forged of [
    { ...file, log: [{ ...entry, ballots: '\u001b[2J' }] },
    { ...file, '\u001b[2J': 1, ballots: [{ count: '\u001b' }] },
  ]) {
    expect(() => parseBallotFile(JSON.stringify(forged))).toThrow(/^This is no file of ballots: \P{Cc}+$/u)
  }
})

test('what is no file of ballots is said to be none', () => {
  const file = fileOf([{ first: 3, second: null, third: null, excluded: false, count: 1 }])
  expect(parseBallotFile(JSON.stringify(file))).toEqual(file)
  expect(() => parseBallotFile('<html>')).toThrow('The file is not JSON.')
  for (const other of [
    null,
    [],
    {},
    { ...file, ballots: undefined },
    { ...file, log: [null] },
    { ...file, ballots: [{ ...file.ballots[0], count: 0.5 }] },
  ]) {
    expect(() => parseBallotFile(JSON.stringify(other))).toThrow('This is no file of ballots')
  }
})
