import { openPool } from '@skyfolio/kit/database'
import { openDatabase } from '../../../services/folders/src/database.ts'
import { createVoterIdentity, oldestKnownKey } from '../../../services/folders/src/voting/voter-identity.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { type Ballot, checkBallot, type Ranks } from './ballots.ts'

interface BallotRow {
  folder: number
  voter: string
  first: number
  second: number
  third: number
  excluded: boolean
}

// A choice whose photo is not visible remains in its row and its tally; both are read unchanged.
const TALLIES = `
WITH tally AS (
  SELECT folder_id, photo_id, sum(first) AS first, sum(second) AS second, sum(third) AS third
  FROM (SELECT folder_id, photo_id, first, second, third FROM tallies
        UNION ALL SELECT folder_id, photo_id, first, second, third FROM tally_changes) AS parts
  GROUP BY folder_id, photo_id HAVING sum(first) <> 0 OR sum(second) <> 0 OR sum(third) <> 0
), recount AS (
  SELECT folder_id, photo_id, count(*) FILTER (WHERE place = 1) AS first, count(*) FILTER (WHERE place = 2) AS second,
         count(*) FILTER (WHERE place = 3) AS third
  FROM ballots CROSS JOIN LATERAL (VALUES (first, 1), (second, 2), (third, 3)) AS choice (photo_id, place)
  WHERE photo_id IS NOT NULL AND NOT excluded GROUP BY folder_id, photo_id
)
SELECT format('tally of photo %s in folder %s: %s, counted %s', photo_id, folder_id, tally, recount) AS sentence
FROM tally FULL JOIN recount USING (folder_id, photo_id)
WHERE (tally.first, tally.second, tally.third) IS DISTINCT FROM (recount.first, recount.second, recount.third)`

export type VoteRows = ReturnType<typeof openVoteRows>

/** The votes of a system, read from its database. */
export function openVoteRows({ env }: Pick<RuntimeState, 'env'>) {
  const pool = openPool(env.folders?.DATABASE_URL ?? '', { max: 2 })
  const keys = (env.folders?.VOTER_KEYS ?? '').split(',')
  const ballots = async (): Promise<BallotRow[]> => {
    const { rows } = await pool.query<BallotRow & Record<string, never>>(
      `SELECT folder_id AS folder, voter::text, COALESCE(first, 0) AS first, COALESCE(second, 0) AS second,
         COALESCE(third, 0) AS third, excluded FROM ballots`,
    )
    return rows
  }
  return {
    ballots,
    /** Returns one sentence per photo whose tally differs from a recount of the ballots. */
    async wrongTallies(): Promise<string[]> {
      const { rows } = await pool.query<{ sentence: string }>(TALLIES)
      return rows.map(({ sentence }) => sentence)
    },
    /** Returns one sentence per ballot whose row does not match its votes; `deleted` are photos that no longer exist. */
    async wrongBallots(sent: Ballot[], deleted?: Set<number>): Promise<string[]> {
      const voters = createVoterIdentity(keys, {
        secure: false,
        hashKey: await oldestKnownKey(openDatabase(pool), keys),
      })
      const rows = new Map((await ballots()).map((row) => [`${row.folder} ${row.voter}`, row]))
      return sent.flatMap((ballot) => {
        const row = rows.get(`${ballot.folder} ${voters.hash('fingerprint', ballot.folder, ballot.voter)}`)
        const ranks: Ranks = row ? [row.first, row.second, row.third] : [0, 0, 0]
        return checkBallot(ballot, ranks, deleted) ?? []
      })
    },
    close: () => pool.end(),
  }
}
