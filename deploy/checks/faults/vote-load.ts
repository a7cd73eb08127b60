import { setTimeout as delay } from 'node:timers/promises'
import type { SentVote } from '../load/ballots.ts'
import type { Seeded, SeededFolder } from '../load/seed.ts'
import { between, type Random, seeded } from './random.ts'

/** What voters and owner of a run saw. */
export interface VoteReport {
  votes: SentVote[]
  /** How often each answer (a status, or an error in words) came. */
  answers: Map<string, number>
  /** What the owner changed meanwhile, and was told that it is so. */
  changes: number
  /** What no voter should have seen. */
  wrong: string[]
}

export interface VoteLoadOptions extends Seeded {
  url: string
  seed: number
  ms: number
}

const voterCount = 40
const ranks = ['', 'first', 'second', 'third'] as const
const mostDeleted = 4
const awayMs = 300
/** Longer than the gateway waits for a service: whoever gives up earlier does not know what becomes of the vote. */
const patienceMs = 70_000

const pick = <T>(random: Random, values: T[]): T => values[Math.floor(random() * values.length)] as T

/** People vote for `ms`, each one vote after the other, while the owner moves, hides, shows and deletes photos. */
export async function runVoteLoad(o: VoteLoadOptions): Promise<VoteReport> {
  const report: VoteReport = { votes: [], answers: new Map(), changes: 0, wrong: [] }
  const end = Date.now() + o.ms
  const voters = Array.from({ length: voterCount }, (_, index) => voteUntil(o, index, end, report))
  await Promise.all([...voters, meddleUntil(o, end, report)])
  return report
}

async function voteUntil(o: VoteLoadOptions, index: number, end: number, report: VoteReport): Promise<void> {
  const random = seeded(o.seed + 100 + index)
  const voter = `fault-${o.seed}-voter-${index}`
  while (Date.now() < end) {
    const vote = newVote(random, voter, o.folders)
    // Who gets no answer presses Retry, or thinks of something else.
    while ((await send(o.url, vote, report)) === 'unknown' && random() < 0.5 && Date.now() < end) {
      await delay(between(random, 50, 500))
    }
    await delay(between(random, 10, 200))
  }
}

function newVote(random: Random, voter: string, folders: SeededFolder[]): Omit<SentVote, 'outcome'> {
  const folder = pick(random, folders)
  // Now and then one that began in another folder and may have been moved here.
  const photo = pick(random, random() < 0.85 ? folder.photos : folders.flatMap(({ photos }) => photos))
  return { voter, folder: folder.id, photo, place: pick(random, [0, 1, 1, 2, 2, 3, 3]) as SentVote['place'] }
}

async function send(url: string, vote: Omit<SentVote, 'outcome'>, report: VoteReport): Promise<SentVote['outcome']> {
  const { voter, folder, photo, place } = vote
  const answer = await fetch(`${url}/api/photos/${photo}/rank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fingerprint: voter, rank: ranks[place], folderId: folder }),
    signal: AbortSignal.timeout(patienceMs),
  })
    .then(async (response) => ({ status: response.status, body: await response.text() }))
    .catch((error: Error & { cause?: { code?: string } }) => ({ status: 0, body: error.cause?.code ?? error.message }))
  const kind = answer.status === 0 ? answer.body : String(answer.status)
  report.answers.set(kind, (report.answers.get(kind) ?? 0) + 1)
  if (answer.body === 'ECONNREFUSED') {
    // Nobody is there, so the vote went nowhere.
    await delay(awayMs)
    return 'refused'
  }
  const outcome = outcomeOf(answer.status)
  report.votes.push({ ...vote, outcome })
  if (outcome === 'acknowledged') checkAnswer(vote, answer.body, report)
  else if (outcome === 'refused' && answer.status !== 404 && answer.status !== 409) {
    report.wrong.push(`a vote was answered ${answer.status}: ${answer.body.slice(0, 200)}`)
  }
  return outcome
}

function outcomeOf(status: number): SentVote['outcome'] {
  if (status === 200) return 'acknowledged'
  return status === 0 || status >= 500 ? 'unknown' : 'refused'
}

/** The voter is told where the photo stands now, and no photo twice. */
function checkAnswer({ photo, place }: Omit<SentVote, 'outcome'>, body: string, report: VoteReport): void {
  const { first, second, third } = JSON.parse(body).rankings as Record<string, number>
  const held = [first, second, third].filter((id) => id !== 0)
  if (new Set(held).size < held.length) report.wrong.push(`a ballot was answered with a photo twice: ${body}`)
  const stands = [first, second, third].indexOf(photo) + 1
  if (stands !== place) report.wrong.push(`photo ${photo} was put at place ${place} and answered at ${stands}: ${body}`)
}

async function meddleUntil(o: VoteLoadOptions, end: number, report: VoteReport): Promise<void> {
  const random = seeded(o.seed + 50)
  const photos = o.folders.flatMap((folder) => folder.photos)
  let deleted = 0
  while (Date.now() < end) {
    await delay(between(random, 50, 300))
    const photo = pick(random, photos)
    const chance = random()
    const folderId = random() < 0.2 ? null : pick(random, o.folders).id
    const change = () => {
      if (chance < 0.5) return o.owner.call('PATCH', `/api/photos/${photo}/folder`, { folderId })
      if (chance < 0.95 || deleted === mostDeleted) {
        return o.owner.call('PATCH', `/api/photos/${photo}/privacy`, { isPublic: random() < 0.6 })
      }
      deleted += 1
      return o.owner.call('DELETE', `/api/photos/${photo}`)
    }
    // Whatever is answered: what became of it is read where media keeps it.
    await change().then(
      () => {
        report.changes += 1
      },
      () => {},
    )
  }
}
