import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from '../../local/session.ts'
import { type Ballot, judge, type Places, type SentVote } from './ballots.ts'

/** A vote as vote.ts writes it down. */
export interface LoggedVote extends SentVote {
  status: number
  /** When it was sent, in milliseconds since 1970, and how long the answer took. */
  at: number
  took: number
}

type Line = [string, number, number, SentVote['place'], number, Places | null, number, number]

/** Reads the lines that vote.ts wrote; each voter's stand in the order in which they were sent. */
export function readVotes(text: string): LoggedVote[] {
  const lines = text.split('\n').filter(Boolean)
  return lines.map((line) => {
    const [voter, folder, photo, place, status, answered, at, took] = JSON.parse(line) as Line
    return {
      ...{ voter, folder, photo, place, status, at, took, outcome: outcomeOf(status) },
      ...(answered && { answered }),
    }
  })
}

/** A server that could not answer may still have recorded the vote. */
function outcomeOf(status: number): SentVote['outcome'] {
  if (status === 200) return 'acknowledged'
  return status === 0 || status >= 500 ? 'unknown' : 'refused'
}

const ranks = ['first', 'second', 'third']
const askedAtOnce = 8

/** Asks the share page, as each voter's browser does, what the voter chose; one sentence for each ballot that is wrong. */
export async function checkShares(baseUrl: string, codes: Map<number, string>, ballots: Ballot[]): Promise<string[]> {
  const wrong: string[] = []
  const waiting = ballots.values()
  const work = async () => {
    for (const ballot of waiting) {
      const url = `${baseUrl}/api/share/${codes.get(ballot.folder)}?fingerprint=${ballot.voter}`
      const { voteCounts } = (await patiently(url).then((answer) => answer.json())) as {
        voteCounts: Record<string, string>
      }
      const places = ranks.map((rank) => {
        return Number(Object.entries(voteCounts).find(([, held]) => held === rank)?.[0] ?? 0)
      }) as Places
      const trouble = judge(ballot, places)
      if (trouble) wrong.push(trouble)
    }
  }
  await Promise.all(Array.from({ length: askedAtOnce }, work))
  return wrong
}

/** Waits as long as the server asks for. @throws when it answers anything else but success */
async function patiently(url: string, headers: Record<string, string> = {}): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, { headers })
    if (answer.ok) return answer
    if (answer.status !== 429 && answer.status !== 503) throw new Error(`${url} answered ${answer.status}`)
    await delay(1000 * Number(answer.headers.get('retry-after') ?? 1))
  }
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

/** Compares an owner's standings with a recount of the voters' list, and gives one sentence for each photo that differs. */
export async function checkStandings(baseUrl: string, owner: Session, folder: number): Promise<string[]> {
  const voters = await listVoters(baseUrl, owner, folder)
  const { tallies } = (await owner.call('GET', `/api/folders/${folder}/rankings`)) as { tallies: Standing[] }
  return compareStandings(folder, tallies, recount(voters))
}

async function listVoters(baseUrl: string, owner: Session, folder: number): Promise<Voter[]> {
  const voters: Voter[] = []
  let path: string | undefined = `/api/folders/${folder}/voters?limit=500`
  while (path) {
    const answer = await patiently(baseUrl + path, { cookie: owner.cookie })
    voters.push(...((await answer.json()) as Voter[]))
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return voters
}

/** Votes at the three places, by photo. */
export function recount(ballots: Voter[]): Map<number, Places> {
  const counts = new Map<number, Places>()
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

/** One sentence for each photo whose standing is not what was counted. */
export function compareStandings(folder: number, told: Standing[], counted: Map<number, Places>): string[] {
  const standings = new Map(told.map(({ photoId, first, second, third }) => [photoId, [first, second, third].join()]))
  return [...new Set([...standings.keys(), ...counted.keys()])].flatMap((photo) => {
    const [said, real] = [standings.get(photo) ?? '0,0,0', (counted.get(photo) ?? [0, 0, 0]).join()]
    return said === real
      ? []
      : [`photo ${photo} in folder ${folder} is said to have ${said} votes, counted are ${real}`]
  })
}
