import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyVote,
  type Ballot,
  ballotFromRanks,
  photosByRank,
  RANKS,
  rankState,
  type Vote,
} from '../src/api/ballot.ts'

const votes = fc.array(
  fc.record({ photoId: fc.integer({ min: 1, max: 5 }), rank: fc.constantFrom(...RANKS, '' as const) }),
)

const cast = (list: Vote[]): Ballot => list.reduce(applyVote, {})

describe('a ballot', () => {
  test('gives an unranked photo a free place', () => {
    expect(applyVote({ 1: 'first' }, { photoId: 2, rank: 'second' })).toEqual({ 1: 'first', 2: 'second' })
  })

  test('takes a place over from the photo that holds it', () => {
    expect(applyVote({ 1: 'first', 2: 'second' }, { photoId: 3, rank: 'first' })).toEqual({ 2: 'second', 3: 'first' })
  })

  test('moves a ranked photo to its new place and leaves the old one empty', () => {
    expect(applyVote({ 1: 'first' }, { photoId: 1, rank: 'third' })).toEqual({ 1: 'third' })
  })

  test('loses a photo by an empty rank, and only that photo', () => {
    expect(applyVote({ 1: 'first', 2: 'second' }, { photoId: 1, rank: '' })).toEqual({ 2: 'second' })
  })

  test('never holds two photos at one place, whatever is voted', () => {
    fc.assert(
      fc.property(votes, (list) => {
        const ranks = Object.values(cast(list))
        expect(new Set(ranks).size).toBe(ranks.length)
      }),
    )
  })

  test('holds the last vote, whatever was voted before', () => {
    fc.assert(
      fc.property(votes, fc.integer({ min: 1, max: 5 }), fc.constantFrom(...RANKS), (list, photoId, rank) => {
        expect(photosByRank(cast([...list, { photoId, rank }]))[rank]).toBe(photoId)
      }),
    )
  })

  test('survives the way to the three places and back', () => {
    fc.assert(
      fc.property(votes, (list) => {
        expect(ballotFromRanks(photosByRank(cast(list)))).toEqual(cast(list))
      }),
    )
  })
})

describe('the menu of a photo', () => {
  const places = { first: 1, second: 2, third: 0 }

  test('offers an unranked photo free places, and held ones as a replacement', () => {
    expect(RANKS.map((rank) => rankState(places, rank, 9))).toEqual(['replaces', 'replaces', 'free'])
  })

  test('keeps a ranked photo from the places that others hold', () => {
    expect(RANKS.map((rank) => rankState(places, rank, 1))).toEqual(['own', 'held', 'free'])
  })
})
