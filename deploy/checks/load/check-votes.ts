import { setTimeout as delay } from 'node:timers/promises'
import type { SignedInClient } from '../../local/signed-in-client.ts'
import { type Ballot, checkBallot, groupByBallot, outcomeOf, type Ranks, type SentVote } from './ballots.ts'
import type { SeededFolders } from './seed-folders.ts'
import { openVoteRows } from './vote-rows.ts'

/** A vote as k6-vote.ts logs it. */
export interface LoggedVote extends SentVote {
  status: number
  /** When it was sent, in milliseconds since 1970, and the time until the response. */
  at: number
  durationMs: number
}

type Line = [string, number, number, SentVote['rank'], number, Ranks | null, number, number]

/** Parses the lines that k6-vote.ts logged; the votes of each voter are in the order in which they were sent. */
export function readVotes(text: string): LoggedVote[] {
  const lines = text.split('\n').filter(Boolean)
  return lines.map((line) => {
    const [voter, folder, photo, rank, status, returned, at, durationMs] = JSON.parse(line) as Line
    return {
      ...{ voter, folder, photo, rank, status, at, durationMs, outcome: outcomeOf(status) },
      ...(returned && { returned }),
    }
  })
}

const RANKS = ['first', 'second', 'third']
const CONCURRENT_REQUESTS = 8

/** Reads each ballot from the share page as the voter's browser does. Returns one sentence per wrong ballot. */
export async function checkShares(baseUrl: string, codes: Map<number, string>, ballots: Ballot[]): Promise<string[]> {
  const errors: string[] = []
  const waiting = ballots.values()
  const work = async () => {
    for (const ballot of waiting) {
      const url = `${baseUrl}/api/share/${codes.get(ballot.folder)}?fingerprint=${ballot.voter}`
      const { voteCounts } = (await fetchWithRetries(url).then((response) => response.json())) as {
        voteCounts: Record<string, string>
      }
      const ranks = RANKS.map((rank) => {
        return Number(Object.entries(voteCounts).find(([, held]) => held === rank)?.[0] ?? 0)
      }) as Ranks
      const error = checkBallot(ballot, ranks)
      if (error) errors.push(error)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work))
  return errors
}

/** Retries after the time in Retry-After. @throws for any other failure */
async function fetchWithRetries(url: string, headers: Record<string, string> = {}): Promise<Response> {
  for (;;) {
    const response = await fetch(url, { headers })
    if (response.ok) return response
    if (response.status !== 429 && response.status !== 503) throw new Error(`${url} returned ${response.status}`)
    await delay(1000 * Number(response.headers.get('retry-after') ?? 1))
  }
}

/** The rows of a system that is not known are not compared. */
interface VotedSystem {
  baseUrl: string
  system: { state(): Promise<Parameters<typeof openVoteRows>[0]> } | null
}

/** Compares what was acknowledged with what the system shows and stores. Prints what differs. Returns the checks. */
export async function verifyVotes(
  { baseUrl, system }: VotedSystem,
  { owner, folders }: SeededFolders,
  votes: LoggedVote[],
  compared: number,
): Promise<Record<string, boolean>> {
  const ballots = groupByBallot(votes)
  const sample = ballots.toSorted(() => Math.random() - 0.5).slice(0, compared)
  console.log(`${ballots.length} ballots, ${sample.length} of them compared with the share page`)
  const codes = new Map(folders.map(({ id, code }) => [id, code]))
  const standings = await Promise.all(folders.map(({ id }) => checkStandings(baseUrl, owner, id)))
  const errors: Record<string, string[]> = {
    'the share page shows every last acknowledged choice': await checkShares(baseUrl, codes, sample),
    "the owner's standings equal a recount of the voters": standings.flat(),
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

interface Voter {
  first: number
  second: number
  third: number
  excluded: boolean
}

interface Standing {
  photoId: number
  first: number
  second: number
  third: number
}

/** Compares an owner's standings with a recount of the voters' list. Returns one sentence per photo that differs. */
export async function checkStandings(baseUrl: string, owner: SignedInClient, folder: number): Promise<string[]> {
  const voters = await listVoters(baseUrl, owner, folder)
  const { tallies } = (await owner.call('GET', `/api/folders/${folder}/rankings`)) as { tallies: Standing[] }
  return compareStandings(folder, tallies, recount(voters))
}

async function listVoters(baseUrl: string, owner: SignedInClient, folder: number): Promise<Voter[]> {
  const voters: Voter[] = []
  let path: string | undefined = `/api/folders/${folder}/voters?limit=500`
  while (path) {
    const response = await fetchWithRetries(baseUrl + path, { cookie: owner.cookie })
    voters.push(...((await response.json()) as Voter[]))
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return voters
}

/** Counts the ballots by photo and rank. */
function recount(ballots: Voter[]): Map<number, Ranks> {
  const counts = new Map<number, Ranks>()
  for (const { first, second, third, excluded } of ballots) {
    if (excluded) continue
    for (const [index, photo] of [first, second, third].entries()) {
      if (photo === 0) continue
      const count = counts.get(photo) ?? [0, 0, 0]
      count[index] = (count[index] ?? 0) + 1
      counts.set(photo, count)
    }
  }
  return counts
}

/** Returns one sentence per photo whose standing differs from the count. */
function compareStandings(folder: number, returned: Standing[], counted: Map<number, Ranks>): string[] {
  const standings = new Map(
    returned.map(({ photoId, first, second, third }) => [photoId, [first, second, third].join()]),
  )
  return [...new Set([...standings.keys(), ...counted.keys()])].flatMap((photo) => {
    const [actual, expected] = [standings.get(photo) ?? '0,0,0', (counted.get(photo) ?? [0, 0, 0]).join()]
    return actual === expected ? [] : [`photo ${photo} in folder ${folder} has ${actual} votes instead of ${expected}`]
  })
}
