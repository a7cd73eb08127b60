import { createBatcher } from '@skyfolio/kit'
import type { Pool } from 'pg'

/** The ranks of a ballot, best first. */
export const RANKS = ['first', 'second', 'third'] as const

export type Rank = (typeof RANKS)[number]

/** The photo id of each rank, 0 where the rank is empty. */
export type RankedPhotos = Record<Rank, number>

export const NO_RANKED_PHOTOS: RankedPhotos = { first: 0, second: 0, third: 0 }

interface BallotKey {
  folderId: number
  /** Keyed hash of the fingerprint. */
  voter: string
}

type Row = [folderId: number, voter: string, first: number | null, second: number | null, third: number | null]

const READ = `
SELECT requested.folder_id, requested.voter, first.id, second.id, third.id
FROM unnest($1::integer[], $2::uuid[]) AS requested (folder_id, voter)
JOIN ballots ON ballots.folder_id = requested.folder_id AND ballots.voter = requested.voter
LEFT JOIN photos_with_visibility AS first ON first.id = ballots.first AND first.folder_id = ballots.folder_id AND first.counted
LEFT JOIN photos_with_visibility AS second ON second.id = ballots.second AND second.folder_id = ballots.folder_id AND second.counted
LEFT JOIN photos_with_visibility AS third ON third.id = ballots.third AND third.folder_id = ballots.folder_id AND third.counted`

export type BallotReader = ReturnType<typeof createBallotReader>

/** Reads the photos that count on ballots, in batches: under load, every open share page reads its voter's ballot every few seconds. */
export function createBallotReader(pool: Pool) {
  const batches = createBatcher<BallotKey, RankedPhotos>({
    async run(keys) {
      const values = [keys.map((key) => key.folderId), keys.map((key) => key.voter)]
      const { rows } = await pool.query<Row>({ name: 'ballots', text: READ, values, rowMode: 'array' })
      const found = new Map(rows.map((row) => [textOf(row[0], row[1]), row]))
      return keys.map(({ folderId, voter }) => {
        const [, , first, second, third] = found.get(textOf(folderId, voter)) ?? []
        return { first: first ?? 0, second: second ?? 0, third: third ?? 0 }
      })
    },
    maxInFlight: 2,
    maxBatch: 1000,
    maxQueued: 10_000,
  })
  return { read: batches.submit }
}

function textOf(folderId: number, voter: string): string {
  return `${folderId} ${voter}`
}
