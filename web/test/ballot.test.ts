import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyVote,
  type Ballot,
  ballotFromRanks,
  photosByRank,
  RANKS,
  rankState,
  undoOf,
  type Vote,
} from '../src/api/votes.ts'

const photoId = fc.integer({ min: 1, max: 5 })
const votes = fc.array(
  fc.oneof(
    fc.record({ photoId, rank: fc.constantFrom(...RANKS, '' as const) }),
    fc.record({ photoId, rank: fc.constantFrom(...RANKS), swap: fc.constant(true as const) }),
  ),
)

const cast = (list: Vote[]): Ballot => list.reduce(applyVote, {})

describe('a ballot', () => {
  test('gives an unranked photo a free rank', () => {
    expect(applyVote({ 1: 'first' }, { photoId: 2, rank: 'second' })).toEqual({ 1: 'first', 2: 'second' })
  })

  test('takes a rank from the photo that has it', () => {
    expect(applyVote({ 1: 'first', 2: 'second' }, { photoId: 3, rank: 'first' })).toEqual({ 2: 'second', 3: 'first' })
  })

  test('moves a ranked photo to its new rank and leaves the old one empty', () => {
    expect(applyVote({ 1: 'first' }, { photoId: 1, rank: 'third' })).toEqual({ 1: 'third' })
  })

  test('removes only the photo that is given an empty rank', () => {
    expect(applyVote({ 1: 'first', 2: 'second' }, { photoId: 1, rank: '' })).toEqual({ 2: 'second' })
  })

  test('exchanges the ranks of two photos in a swap, which changes nothing when it is repeated', () => {
    const swap = { photoId: 2, rank: 'first', swap: true } as const
    expect(cast([{ photoId: 1, rank: 'first' }, { photoId: 2, rank: 'third' }, swap])).toEqual({
      2: 'first',
      1: 'third',
    })
    expect(applyVote({ 2: 'first', 1: 'third' }, swap)).toEqual({ 2: 'first', 1: 'third' })
  })

  test('loses no photo by a swap of ranked photos, and treats any other swap as a vote', () => {
    fc.assert(
      fc.property(votes, photoId, fc.constantFrom(...RANKS), (list, photoId, rank) => {
        const before = cast(list)
        const after = applyVote(before, { photoId, rank, swap: true })
        if (before[photoId]) expect(Object.keys(after)).toEqual(Object.keys(before))
        else expect(after).toEqual(applyVote(before, { photoId, rank }))
      }),
    )
  })

  test('never has two photos with one rank, whatever the votes', () => {
    fc.assert(
      fc.property(votes, (list) => {
        const ranks = Object.values(cast(list))
        expect(new Set(ranks).size).toBe(ranks.length)
      }),
    )
  })

  test('contains the last vote, whatever the earlier votes', () => {
    fc.assert(
      fc.property(votes, fc.integer({ min: 1, max: 5 }), fc.constantFrom(...RANKS), (list, photoId, rank) => {
        expect(photosByRank(cast([...list, { photoId, rank }]))[rank]).toBe(photoId)
      }),
    )
  })

  test('converts to the three ranks and back', () => {
    fc.assert(
      fc.property(votes, (list) => {
        expect(ballotFromRanks(photosByRank(cast(list)))).toEqual(cast(list))
      }),
    )
  })
})

describe('the menu of a photo', () => {
  const places = { first: 1, second: 2, third: 0 }

  test('offers an unranked photo the free ranks, and taken ones as a replacement', () => {
    expect(RANKS.map((rank) => rankState(places, rank, 9))).toEqual(['replaces', 'replaces', 'free'])
  })

  test('does not offer a ranked photo the ranks of other photos', () => {
    expect(RANKS.map((rank) => rankState(places, rank, 1))).toEqual(['own', 'held', 'free'])
  })
})

test('a vote that takes a rank away is undone by giving it back', () => {
  expect(undoOf({ 1: 'first' }, { photoId: 2, rank: 'first' })).toEqual({ photoId: 1, rank: 'first' })
  expect(undoOf({ 1: 'first' }, { photoId: 1, rank: '' })).toEqual({ photoId: 1, rank: 'first' })
  expect(undoOf({ 1: 'first' }, { photoId: 2, rank: 'second' })).toBeUndefined()
  expect(undoOf({ 1: 'first' }, { photoId: 1, rank: 'second' })).toBeUndefined()
  expect(undoOf({ 1: 'first', 2: 'second' }, { photoId: 1, rank: 'second', swap: true })).toBeUndefined()
  expect(undoOf({}, { photoId: 1, rank: '' })).toBeUndefined()
})

test('undoing a vote restores the ballot', () => {
  fc.assert(
    fc.property(votes, votes, (earlier, [vote]) => {
      const ballot = cast(earlier)
      const undo = vote && undoOf(ballot, vote)
      if (undo) expect(applyVote(applyVote(ballot, vote), undo)).toEqual(ballot)
    }),
  )
})
