import { createHash } from 'node:crypto'
import { Nullable } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { Tally } from '../voting/standings.ts'

/** The rule of all results, as people read it. */
export const RULE =
  'A first rank gives 3 points, a second 2, a third 1. Ties: more firsts, then more seconds, then the earlier upload.'

const DateTime = Type.String({ format: 'date-time' })
const Choice = Nullable(Type.Integer())

/** An entry of the published log. */
export const CountEntryBody = Type.Object({
  at: DateTime,
  ballots: Type.Integer({ description: 'That count' }),
  excluded: Type.Integer(),
  note: Type.String(),
  ballotsDigest: Type.String({ description: 'SHA-256 in hex of what was counted, see `digestBallots`' }),
  digest: Type.String({ description: 'SHA-256 in hex of this entry and the digest before it, see `digestEntry`' }),
})

/** What an owner gives to somebody who wants to count again: a folder's ballots, which name nobody. */
export const BallotFileBody = Type.Object({
  folder: Type.Object({ id: Type.Integer(), name: Type.String() }),
  rule: Type.String(),
  closedAt: DateTime,
  photos: Type.Array(Type.Object({ id: Type.Integer(), title: Type.String() }), {
    description: 'The candidates, the earliest upload first',
  }),
  ballots: Type.Array(
    Type.Object({
      first: Choice,
      second: Choice,
      third: Choice,
      excluded: Type.Boolean({ description: 'By the owner' }),
      count: Type.Integer({ minimum: 1, description: 'Ballots with this choice' }),
    }),
  ),
  salt: Type.String({
    description: 'Of the digest of the ballots: without it nobody guesses the ballots of a small vote',
  }),
  log: Type.Array(CountEntryBody, { minItems: 1 }),
  digest: Type.String({ description: 'Of the last entry of the log' }),
})

export type BallotFile = Static<typeof BallotFileBody>
/** A choice of photos, and how many ballots have it. */
export type BallotGroup = BallotFile['ballots'][number]
export type CountEntry = Static<typeof CountEntryBody>

export interface Count {
  ballots: number
  excluded: number
  /** Photos with votes, best first. */
  tallies: Tally[]
}

/** Counts ballots. @param photos ids of the candidates, the earliest upload first: it decides ties */
export function countBallots(groups: readonly BallotGroup[], photos: readonly number[]): Count {
  const tallies = new Map(photos.map((photoId) => [photoId, emptyTally(photoId)]))
  const sum = { ballots: 0, excluded: 0 }
  for (const { first, second, third, excluded, count } of groups) {
    sum[excluded ? 'excluded' : 'ballots'] += count
    if (excluded) continue
    for (const [rank, photo] of [['first', first] as const, ['second', second] as const, ['third', third] as const]) {
      const tally = tallies.get(photo ?? 0)
      if (tally) tally[rank] += count
    }
  }
  const voted = [...tallies.values()].filter((tally) => tally.first + tally.second + tally.third > 0)
  for (const tally of voted) {
    tally.points = 3 * tally.first + 2 * tally.second + tally.third
    tally.voters = tally.first + tally.second + tally.third
  }
  // The sort is stable: what is equal stays in the order of uploads.
  voted.sort((a, b) => b.points - a.points || b.first - a.first || b.second - a.second)
  return { ...sum, tallies: voted }
}

function emptyTally(photoId: number): Tally {
  return { photoId, first: 0, second: 0, third: 0, points: 0, voters: 0 }
}

/**
 * SHA-256 of a JSON array: salt, id of the folder, closing time, rule, `[id, title]` of each candidate in order, and the choices sorted as texts
 * `first,second,third,excluded or empty,count`.
 */
export function digestBallots({
  salt,
  folder,
  closedAt,
  photos,
  ballots,
}: Pick<BallotFile, 'salt' | 'folder' | 'closedAt' | 'photos' | 'ballots'>): string {
  const choices = ballots.map(
    ({ first, second, third, excluded, count }) =>
      `${first ?? ''},${second ?? ''},${third ?? ''},${excluded ? 'excluded' : ''},${count}`,
  )
  return sha256(
    JSON.stringify([salt, folder.id, closedAt, RULE, photos.map(({ id, title }) => [id, title]), choices.sort()]),
  )
}

/** SHA-256 of a JSON array: the digest before (empty for the first entry), and the entry's other values in their order. */
export function digestEntry(before: string, entry: Omit<CountEntry, 'digest'>): string {
  const { at, ballots, excluded, note, ballotsDigest } = entry
  return sha256(JSON.stringify([before, at, ballots, excluded, note, ballotsDigest]))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
