import { expect, test } from 'vitest'
import { checkBallot, groupByBallot, possibleBallots, type Ranks, type SentVote } from '../checks/load/ballots.ts'
import { compareStandings, readVotes, recount } from '../checks/load/check-votes.ts'
import { checkTarget } from '../checks/load/target.ts'

const vote = (photo: number, rank: SentVote['rank'], outcome: SentVote['outcome'] = 'acknowledged'): SentVote => ({
  ...{ voter: 'v', folder: 1, photo, rank, outcome },
})
const ballot = (...votes: SentVote[]) => ({ voter: 'v', folder: 1, votes })

test('a photo takes over a rank, leaves its own, and can be removed', () => {
  expect(possibleBallots([vote(5, 1), vote(6, 2)])).toEqual([[5, 6, 0]])
  expect(possibleBallots([vote(5, 1), vote(6, 1)])).toEqual([[6, 0, 0]])
  expect(possibleBallots([vote(5, 1), vote(5, 3)])).toEqual([[0, 0, 5]])
  expect(possibleBallots([vote(5, 1), vote(5, 0)])).toEqual([[0, 0, 0]])
})

test('a rejected vote changes nothing; a vote without response may have either outcome, until the next one decides', () => {
  expect(possibleBallots([vote(5, 1), vote(6, 1, 'rejected')])).toEqual([[5, 0, 0]])
  expect(possibleBallots([vote(5, 1), vote(6, 1, 'unknown')]).toSorted()).toEqual([
    [5, 0, 0],
    [6, 0, 0],
  ])
  expect(possibleBallots([vote(5, 1), vote(6, 1, 'unknown'), vote(7, 1)])).toEqual([[7, 0, 0]])
})

test('finds a returned ballot that contradicts the votes', () => {
  const withReturned = (returned: Ranks) => ballot(vote(5, 1), { ...vote(6, 2), returned })
  expect(checkBallot(withReturned([5, 6, 0]), [5, 6, 0])).toBeNull()
  expect(checkBallot(withReturned([0, 6, 0]), [0, 6, 0])).toContain('contradicts its votes')
})

test('finds a lost last choice, and ignores that of a deleted photo', () => {
  const votes = ballot(vote(5, 1), vote(6, 1))
  expect(checkBallot(votes, [6, 0, 0])).toBeNull()
  expect(checkBallot(votes, [5, 0, 0])).toBe('voter v in folder 1 has 5,0,0 instead of 6,0,0')
  expect(checkBallot(votes, [0, 0, 0])).not.toBeNull()
  expect(checkBallot(votes, [0, 0, 0], new Set([6]))).toBeNull()
})

test('groups the lines of a load into ballots, in order', () => {
  const lines = [
    ['a', 1, 5, 1, 200, [5, 0, 0], 1000, 3],
    ['b', 1, 5, 1, 429, null, 1001, 1],
    ['a', 1, 6, 2, 503, null, 1002, 9],
    ['a', 2, 7, 3, 0, null, 1003, 20],
  ]
  const ballots = groupByBallot(readVotes(lines.map((line) => JSON.stringify(line)).join('\n')))
  expect(ballots.map(({ voter, folder, votes }) => [voter, folder, votes.map(({ outcome }) => outcome)])).toEqual([
    ['a', 1, ['acknowledged', 'unknown']],
    ['b', 1, ['rejected']],
    ['a', 2, ['unknown']],
  ])
})

test('reports a standing that differs from the recount, without excluded ballots', () => {
  const voters = [
    { first: 5, second: 6, third: 0, excluded: false },
    { first: 5, second: 0, third: 0, excluded: false },
    { first: 6, second: 5, third: 0, excluded: true },
  ]
  const right = [
    { photoId: 5, first: 2, second: 0, third: 0 },
    { photoId: 6, first: 0, second: 1, third: 0 },
  ]
  expect(compareStandings(1, right, recount(voters))).toEqual([])
  expect(compareStandings(1, right.slice(0, 1), recount(voters))).toEqual([
    'photo 6 in folder 1 has 0,0,0 votes instead of 0,1,0',
  ])
})

test('a load targets this machine, and others only with ALLOW_REMOTE=yes', () => {
  expect(checkTarget('http://127.0.0.1:8080/', undefined)).toBe('http://127.0.0.1:8080')
  expect(() => checkTarget('https://skyfolio.example', undefined)).toThrow('ALLOW_REMOTE')
  expect(() => checkTarget('http://127.0.0.1.example', undefined)).toThrow('ALLOW_REMOTE')
  expect(checkTarget('https://skyfolio.example', 'yes')).toBe('https://skyfolio.example')
})
