import { describe, expect, test } from 'vitest'
import type { Contest } from '../src/api/types.ts'
import { changesOf, valuesOf } from '../src/features/folders/contest-dialog.tsx'
import { announcePhase, describePhase, describeRules } from '../src/features/folders/contest-texts.ts'
import { invitationsCsv, readNames } from '../src/features/folders/invitation-lists.ts'
import { afterStep, announce, isShown, type Reveal, stepOf } from '../src/features/folders/reveal.ts'
import { formatMoment } from '../src/lib/zoned-time.ts'

const CONTEST: Contest = {
  opensAt: null,
  closesAt: null,
  show: 'never',
  order: 'added',
  voters: 'anyone',
  openBallot: false,
  resultsPublic: false,
  resultsText: null,
  phase: 'open',
  closedAt: null,
}
/** Noon in this time zone. */
const NOW = new Date(2026, 10, 29, 12).getTime()
const at = (month: number, day: number, hour: number, year = 2026) => new Date(year, month - 1, day, hour).toISOString()

describe('the phase of a contest', () => {
  test('names the moment at which it changes, or changed, with its time zone', () => {
    const closesAt = at(11, 29, 20)
    const phase = (fields: Partial<Contest>) => describePhase({ ...CONTEST, ...fields }, NOW)
    expect(phase({ phase: 'before', opensAt: at(12, 1, 20) })).toMatch(/^Voting opens Dec 1, 8:00 PM \S+$/)
    expect(phase({ closesAt })).toMatch(/^Voting is open until 8:00 PM \S+$/)
    expect(phase({ phase: 'closed', closesAt, closedAt: at(11, 29, 9) })).toMatch(/^Voting closed at 9:00 AM \S+$/)
    expect(phase({})).toBe('Voting is open')
    expect(phase({ phase: 'closed' })).toBe('Voting is closed')
  })

  test('a moment of another year has its year', () => {
    expect(formatMoment(at(1, 2, 20, 2027), NOW)).toMatch(/^Jan 2, 2027, 8:00 PM \S+$/)
  })

  test('on a wall says when voting ends', () => {
    expect(announcePhase({ ...CONTEST, closesAt: at(11, 29, 20) }, NOW)).toMatch(/^Voting ends at 8:00 PM \S+$/)
    expect(announcePhase(CONTEST, NOW)).toBe('Voting is open')
  })

  test('the rules say who votes and what is seen', () => {
    expect(describeRules({ ...CONTEST, voters: 'invited', openBallot: true, show: 'closed' }, true)).toBe(
      'Everyone with an invitation can vote once. You see who voted for what, and voters are told so. Voters see the standings once voting is closed.',
    )
    expect(describeRules(CONTEST, false)).toMatch(/^The folder is private/)
  })
})

describe('the settings of a contest', () => {
  test('only what was changed is sent: a moment keeps its seconds', () => {
    const contest = { ...CONTEST, closesAt: '2026-12-01T19:00:30.000Z' }
    const values = valuesOf(contest)
    expect(changesOf(contest, values)).toEqual({})
    expect(changesOf(contest, { ...values, order: 'shuffled', closesAt: '' })).toEqual({
      order: 'shuffled',
      closesAt: null,
    })
  })

  test('ballots are open only with invitations', () => {
    const open: Contest = { ...CONTEST, voters: 'invited', openBallot: true }
    expect(changesOf(open, { ...valuesOf(open), voters: 'users' })).toEqual({ voters: 'users', openBallot: false })
  })
})

describe('pasted names', () => {
  test('are separated by lines, commas and semicolons, and trimmed; duplicates are left out', () => {
    expect(readNames(' Ann \r\n\nLee, Bo\nbo@club.org\nann\n')).toEqual({
      names: ['Ann', 'Lee, Bo', 'bo@club.org'],
      duplicates: 1,
      invited: 0,
      problem: null,
    })
    expect(readNames('\nAnn, bo@club.org; Cy,Ann ;').names).toEqual(['Ann', 'bo@club.org', 'Cy'])
  })

  test('who has an invitation gets no second one', () => {
    expect(readNames('ANN\nann\nBo', [{ name: 'Ann' }])).toMatchObject({ names: ['Bo'], duplicates: 1, invited: 1 })
  })

  test('too many, or too long ones, are not sent', () => {
    const many = Array.from({ length: 1001 }, (_, index) => `Voter ${index}`)
    expect(readNames(many.join('\n')).problem).toMatch(/^At most 1,000/)
    expect(readNames(many.slice(1).join('\n')).problem).toBeNull()
    expect(readNames('😀'.repeat(200)).problem).toBeNull()
    expect(readNames('x'.repeat(201)).problem).toMatch(/longer than 200 characters/)
  })
})

test('the CSV of invitations quotes what it must, and no name is a formula', () => {
  const names = ['Ann', 'Lee, Bo "B"', '=1+1', '+1', '-1', '@x']
  const invitations = names.map((name, id) => ({ id, name, url: `/share/A#invitation=${id}`, used: id === 0 }))
  const csv = invitationsCsv(invitations, ({ url }) => `https://sky.example${url}`)
  expect(csv.charCodeAt(0)).toBe(0xfeff)
  expect(csv.slice(1).split('\r\n')).toEqual([
    'Name,Link,Voted',
    'Ann,https://sky.example/share/A#invitation=0,Yes',
    '"Lee, Bo ""B""",https://sky.example/share/A#invitation=1,No',
    "'=1+1,https://sky.example/share/A#invitation=2,No",
    "'+1,https://sky.example/share/A#invitation=3,No",
    "'-1,https://sky.example/share/A#invitation=4,No",
    "'@x,https://sky.example/share/A#invitation=5,No",
    '',
  ])
})

describe('the reveal of a podium', () => {
  const shownOf = (reveal: Reveal, places: number) =>
    Array.from({ length: places }, (_, index) => isShown(reveal, index, places))

  test('begins covered, shows third, second and first, and goes back', () => {
    let reveal = afterStep(null, 'toggle', 3)
    expect(shownOf(reveal, 3)).toEqual([false, false, false])
    reveal = afterStep(reveal, 'next', 3)
    expect(shownOf(reveal, 3)).toEqual([false, false, true])
    reveal = afterStep(afterStep(reveal, 'next', 3), 'next', 3)
    expect(shownOf(reveal, 3)).toEqual([true, true, true])
    expect(afterStep(reveal, 'next', 3)).toBe(reveal)
    expect(shownOf(afterStep(reveal, 'back', 3), 3)).toEqual([false, true, true])
    expect(afterStep(0, 'back', 3)).toBe(0)
    expect(afterStep(reveal, 'toggle', 3)).toBeNull()
  })

  test('of two places begins with the second; of none does not begin', () => {
    expect(shownOf(1, 2)).toEqual([false, true])
    expect(afterStep(null, 'toggle', 0)).toBeNull()
  })

  test('begins with a step forwards too, since remotes have no other key', () => {
    expect(afterStep(null, 'next', 3)).toBe(0)
    expect(afterStep(null, 'next', 0)).toBeNull()
    expect(afterStep(null, 'back', 3)).toBeNull()
    expect(shownOf(null, 3)).toEqual([true, true, true])
  })

  test('takes the keys of presenter remotes', () => {
    expect([' ', 'arrowright', 'pagedown'].map(stepOf)).toEqual(['next', 'next', 'next'])
    expect(['arrowleft', 'pageup', 'r', 'x'].map(stepOf)).toEqual(['back', 'back', 'toggle', null])
  })

  test('is read to screen readers one place at a time, the live podium as a whole', () => {
    const places = [
      { title: 'Harbor', points: 12 },
      { title: '', points: 1 },
    ]
    expect(announce(places, null)).toBe('1st place: Harbor, 12 points. 2nd place: Untitled, 1 point.')
    expect(announce(places, 0)).toBe('All places are covered.')
    expect(announce(places, 1)).toBe('2nd place: Untitled, 1 point.')
    expect(announce(places, 2)).toBe('1st place: Harbor, 12 points.')
  })
})
