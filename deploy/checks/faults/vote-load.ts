import { setTimeout as delay } from 'node:timers/promises'
import { outcomeOf, RANKS, type SentVote } from '../load/ballots.ts'
import type { SeededFolder, SeededFolders } from '../load/seed-folders.ts'
import { between, pick, type Random, seededRandom } from './random.ts'

/** What the voters and the owner of a run observed. */
export interface VoteReport {
  votes: SentVote[]
  /** Count of each response: a status, or an error message. */
  responses: Map<string, number>
  /** Acknowledged changes by the owner. */
  changes: number
  /** What no voter should have observed. */
  errors: string[]
}

export interface VoteLoadOptions extends SeededFolders {
  url: string
  seed: number
  ms: number
  /** By default for `ms`. */
  isRunning?: () => boolean
  /** How many vote; 40 by default. */
  voters?: number
}

const VOTER_COUNT = 40
const MAX_DELETED = 4
const RETRY_DELAY_MS = 300
/** Longer than the gateway's timeout for services, so that no vote is abandoned with an unknown outcome. */
const RESPONSE_TIMEOUT_MS = 70_000

/** Voters vote, each sequentially, while the owner moves, hides, shows and deletes photos. */
export async function runVoteLoad(options: VoteLoadOptions): Promise<VoteReport> {
  const report: VoteReport = { votes: [], responses: new Map(), changes: 0, errors: [] }
  const end = Date.now() + options.ms
  const isRunning = options.isRunning ?? (() => Date.now() < end)
  const voters = Array.from({ length: options.voters ?? VOTER_COUNT }, (_, index) =>
    voteRepeatedly(options, index, isRunning, report),
  )
  await Promise.all([...voters, changePhotos(options, isRunning, report)])
  return report
}

async function voteRepeatedly(
  options: VoteLoadOptions,
  index: number,
  isRunning: () => boolean,
  report: VoteReport,
): Promise<void> {
  const random = seededRandom(options.seed + 100 + index)
  const voter = `fault-${options.seed}-voter-${index}`
  while (isRunning()) {
    const vote = createVote(random, voter, options.folders)
    // A voter without response retries, or makes another choice.
    while ((await sendVote(options.url, vote, report)) === 'unknown' && random() < 0.5 && isRunning()) {
      await delay(between(random, 50, 500))
    }
    await delay(between(random, 10, 200))
  }
}

function createVote(random: Random, voter: string, folders: SeededFolder[]): Omit<SentVote, 'outcome'> {
  const folder = pick(random, folders)
  // Sometimes a photo of another folder, which may have been moved here.
  const photo = pick(random, random() < 0.85 ? folder.photos : folders.flatMap(({ photos }) => photos))
  return { voter, folder: folder.id, photo, rank: pick(random, [0, 1, 1, 2, 2, 3, 3]) as SentVote['rank'] }
}

async function sendVote(
  url: string,
  vote: Omit<SentVote, 'outcome'>,
  report: VoteReport,
): Promise<SentVote['outcome']> {
  const { voter, folder, photo, rank } = vote
  const response = await fetch(`${url}/api/photos/${photo}/rank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fingerprint: voter, rank: RANKS[rank], folderId: folder }),
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  })
    .then(async (response) => ({ status: response.status, body: await response.text() }))
    .catch((error: Error & { cause?: { code?: string } }) => ({ status: 0, body: error.cause?.code ?? error.message }))
  const kind = response.status === 0 ? response.body : String(response.status)
  report.responses.set(kind, (report.responses.get(kind) ?? 0) + 1)
  if (response.body === 'ECONNREFUSED') {
    // The gateway is down, so the vote was not recorded.
    await delay(RETRY_DELAY_MS)
    return 'rejected'
  }
  const outcome = outcomeOf(response.status)
  report.votes.push({ ...vote, outcome })
  if (outcome === 'acknowledged') checkResponse(vote, response.body, report)
  else if (outcome === 'rejected' && response.status !== 404 && response.status !== 409) {
    report.errors.push(`a vote got ${response.status}: ${response.body.slice(0, 200)}`)
  }
  return outcome
}

/** Checks that the returned ballot has the photo at its rank, and no photo twice. */
function checkResponse({ photo, rank }: Omit<SentVote, 'outcome'>, body: string, report: VoteReport): void {
  const { first, second, third } = JSON.parse(body).rankings as Record<string, number>
  const held = [first, second, third].filter((id) => id !== 0)
  if (new Set(held).size < held.length) report.errors.push(`a returned ballot has a photo twice: ${body}`)
  const returnedRank = [first, second, third].indexOf(photo) + 1
  if (returnedRank !== rank)
    report.errors.push(`photo ${photo} got rank ${rank}, returned was ${returnedRank}: ${body}`)
}

async function changePhotos(options: VoteLoadOptions, isRunning: () => boolean, report: VoteReport): Promise<void> {
  const random = seededRandom(options.seed + 50)
  const photos = options.folders.flatMap((folder) => folder.photos)
  let deleted = 0
  while (isRunning()) {
    await delay(between(random, 50, 300))
    const photo = pick(random, photos)
    const chance = random()
    const folderId = random() < 0.2 ? null : pick(random, options.folders).id
    const change = () => {
      if (chance < 0.5) return options.owner.call('PATCH', `/api/photos/${photo}/folder`, { folderId })
      if (chance < 0.95 || deleted === MAX_DELETED) {
        return options.owner.call('PATCH', `/api/photos/${photo}/privacy`, { isPublic: random() < 0.6 })
      }
      deleted += 1
      return options.owner.call('DELETE', `/api/photos/${photo}`)
    }
    // The response is irrelevant: the final state is read from media's database.
    await change().then(
      () => {
        report.changes += 1
      },
      () => {},
    )
  }
}
