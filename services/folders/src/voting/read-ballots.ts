import { createBatcher } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Places } from './cast-vote.ts'

export interface BallotKey {
  folderId: number
  /** Keyed hash of the fingerprint. */
  voter: string
}

export interface Ballots {
  /** The photos that count on a ballot, 0 where a place is empty. */
  get(key: BallotKey): Promise<Places>
}

type Row = [folderId: number, voter: string, first: number | null, second: number | null, third: number | null]

const READ = `
SELECT asked.folder_id, asked.voter, first.id, second.id, third.id
FROM unnest($1::integer[], $2::uuid[]) AS asked (folder_id, voter)
JOIN ballots ON ballots.folder_id = asked.folder_id AND ballots.voter = asked.voter
LEFT JOIN placed_photos AS first ON first.id = ballots.first AND first.folder_id = ballots.folder_id AND first.counted
LEFT JOIN placed_photos AS second ON second.id = ballots.second AND second.folder_id = ballots.folder_id AND second.counted
LEFT JOIN placed_photos AS third ON third.id = ballots.third AND third.folder_id = ballots.folder_id AND third.counted`

/** Reads ballots, many at once under load: a voter's page asks for its ballot every few seconds. */
export function createBallots(pool: Pool): Ballots {
  const keyOf = (folderId: number, voter: string) => `${folderId} ${voter}`
  const batches = createBatcher<BallotKey, Places>({
    async run(keys) {
      const values = [keys.map((key) => key.folderId), keys.map((key) => key.voter)]
      const { rows } = await pool.query<Row>({ name: 'ballots', text: READ, values, rowMode: 'array' })
      const found = new Map(rows.map((row) => [keyOf(row[0], row[1]), row]))
      return keys.map(({ folderId, voter }) => {
        const [, , first, second, third] = found.get(keyOf(folderId, voter)) ?? []
        return { first: first ?? 0, second: second ?? 0, third: third ?? 0 }
      })
    },
    maxInFlight: 2,
    maxBatch: 1000,
    maxQueued: 10_000,
  })
  return { get: batches.submit }
}
