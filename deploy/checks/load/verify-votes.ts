import type { LaunchedSystem } from '../../local/launch.ts'
import type { SignedInClient } from '../../local/signed-in-client.ts'
import { groupByBallot } from './ballots.ts'
import { checkShares, checkStandings, type LoggedVote } from './check-votes.ts'
import { openVoteRows } from './vote-rows.ts'

export interface VerifiedTarget {
  baseUrl: string
  /** Share codes by folder. */
  codes: Map<number, string>
  /** The owner of the folders; null when unknown. */
  owner: SignedInClient | null
  /** Null for one that runs elsewhere, whose database is not read. */
  system: LaunchedSystem | null
  /** Size of the random sample of ballots that is compared with the share page. */
  compare: number
}

/** Compares what was acknowledged with what the system shows and stores. Prints what differs. Returns the checks. */
export async function verifyVotes(
  { baseUrl, codes, owner, system, compare }: VerifiedTarget,
  votes: LoggedVote[],
): Promise<Record<string, boolean>> {
  const ballots = groupByBallot(votes)
  const sample = ballots.toSorted(() => Math.random() - 0.5).slice(0, compare)
  console.log(`${ballots.length} ballots, ${sample.length} of them compared with the share page`)
  const errors: Record<string, string[]> = {
    'the share page shows every last acknowledged choice': await checkShares(baseUrl, codes, sample),
  }
  if (owner) {
    const wrong = await Promise.all([...codes.keys()].map((id) => checkStandings(baseUrl, owner, id)))
    errors["the owner's standings equal a recount of the voters"] = wrong.flat()
  }
  if (system) {
    const rows = openVoteRows(await system.state())
    errors['the database holds every last acknowledged choice'] = await rows.wrongBallots(ballots)
    errors['the tallies equal a recount of the ballots'] = await rows.wrongTallies()
    await rows.close()
  }
  for (const sentence of Object.values(errors).flat().slice(0, 20)) console.log(sentence)
  return Object.fromEntries(Object.entries(errors).map(([name, wrong]) => [name, wrong.length === 0]))
}
