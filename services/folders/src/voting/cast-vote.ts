import { conflict, createBatcher, type Logger, metrics, notFound, unavailable } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { VOTE_STATEMENT } from './vote-statement.ts'

/** A wish: this photo at this place of this voter's ballot. */
export interface Vote {
  folderId: number
  photoId: number
  /** 0 removes the photo from the ballot. */
  place: 0 | 1 | 2 | 3
  /** Keyed hashes, as texts of uuids. */
  voter: string
  address: string
  token: string
  /** The signed-in user, if any: owners may vote in their private folders. */
  userId: number | null
}

/** The photos at the three places of a ballot, 0 where a place is empty. */
export interface Places {
  first: number
  second: number
  third: number
}

type Refusal = 'busy' | 'no-folder' | 'closed' | 'no-photo' | 'elsewhere' | 'private'
type Outcome = { refusal: Refusal } | { places: Places; ownerId: number }
type Row = [
  kind: Refusal | 'ballot' | 'counted' | 'owner',
  key: number,
  voter: string,
  first: number | null,
  second: number | null,
  third: number | null,
]

export interface Voting {
  /**
   * Records a vote; resolves with the voter's places when it is committed.
   * Throws 404 when the folder or the photo is not there for this caller, 409 when the voting is closed or the caller
   * sees both but the photo cannot be ranked there, 503 when the database, the queue or the folder cannot take it now.
   */
  cast(vote: Vote): Promise<Places>
}

export interface VotingOptions {
  pool: Pool
  logger: Logger
  /** Called after the commit, once for each vote that changed a ballot. */
  onChange(folderId: number, ownerId: number): void
}

const MAX_BATCH = 1000
const MAX_QUEUED = 10_000

const batchSize = metrics.histogram('skyfolio_vote_batch_size', 'Votes in a batch', [], [1, 3, 10, 30, 100, 300, 1000])
const batchWait = metrics.histogram(
  'skyfolio_vote_batch_wait_seconds',
  'How long the first vote of a batch waited for its start',
  [],
  [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
)
const commitTime = metrics.histogram(
  'skyfolio_vote_commit_seconds',
  'Time from the start of a batch to its commit or failure',
  [],
  [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
)
const refused = metrics.counter('skyfolio_votes_refused_total', 'Votes refused since too many wait')
const queued = metrics.gauge('skyfolio_votes_queued', 'Votes that wait or are being committed')

/** Commits votes in groups: two batches in flight, each one statement; votes on one ballot keep their order. */
export function createVoting({ pool, logger, onChange }: VotingOptions): Voting {
  async function commit(votes: Vote[]): Promise<Outcome[]> {
    const measured = commitTime.startTimer()
    try {
      const { rows } = await pool.query<Row>({
        name: 'votes',
        text: VOTE_STATEMENT,
        values: toColumns(votes),
        rowMode: 'array',
      })
      return toOutcomes(votes, rows)
    } catch (error) {
      logger.error({ err: error, votes: votes.length }, 'votes not committed')
      throw unavailable(undefined, 1)
    } finally {
      measured()
    }
  }

  const batches = createBatcher<Vote, Outcome>({
    run: commit,
    keyOf: ballotKey,
    maxInFlight: 2,
    maxBatch: MAX_BATCH,
    maxQueued: MAX_QUEUED,
    refused: () => refused.inc(),
    observe({ size, waitMs }) {
      batchSize.observe(size)
      batchWait.observe(waitMs / 1000)
    },
  })
  metrics.onScrape('votes', () => [[queued, batches.queued()]])

  return {
    async cast(vote) {
      const outcome = await batches.submit(vote)
      if ('refusal' in outcome) throw toError(outcome.refusal)
      onChange(vote.folderId, outcome.ownerId)
      return outcome.places
    },
  }
}

/** One array literal for each parameter: all values are numbers or hex digits, so nothing needs quoting. */
function toColumns(votes: Vote[]): string[] {
  const column = (value: (vote: Vote) => string | number) => `{${votes.map(value).join()}}`
  return [
    column((vote) => vote.folderId),
    column((vote) => vote.photoId),
    column((vote) => vote.place),
    column((vote) => vote.voter),
    column((vote) => vote.address),
    column((vote) => vote.token),
    column((vote) => vote.userId ?? 0),
  ]
}

const ballotKey = (ballot: { folderId: number; voter: string }) => `${ballot.folderId} ${ballot.voter}`

function toOutcomes(votes: Vote[], rows: Row[]): Outcome[] {
  const refusals = new Map<number, Refusal>()
  const ballots = new Map<string, Row>()
  const folderOf = new Map<number, number | null>()
  const owners = new Map<number, number | null>()
  for (const row of rows) {
    const [kind, key, voter, first] = row
    if (kind === 'ballot') ballots.set(ballotKey({ folderId: key, voter }), row)
    else if (kind === 'counted') folderOf.set(key, first)
    else if (kind === 'owner') owners.set(key, first)
    else refusals.set(key, kind)
  }
  return votes.map((vote, index) => {
    const refusal = refusals.get(index + 1)
    if (refusal) return { refusal }
    // No ballot: a photo was removed from a ballot that was never filled.
    const [, , , first, second, third] = ballots.get(ballotKey(vote)) ?? []
    const counted = (photo: number | null | undefined) => (photo && folderOf.get(photo) === vote.folderId ? photo : 0)
    const places = { first: counted(first), second: counted(second), third: counted(third) }
    return { places, ownerId: owners.get(vote.folderId) as number }
  })
}

function toError(refusal: Refusal): Error {
  if (refusal === 'busy') return unavailable(undefined, 1)
  if (refusal === 'closed') return conflict('Voting is closed', 'voting_closed')
  if (refusal === 'no-folder') return notFound('Folder not found')
  if (refusal === 'no-photo') return notFound('Photo not found')
  if (refusal === 'private') return conflict('This photo is private. Make it public to rank it.', 'photo_private')
  return conflict('This photo is not in that folder.', 'photo_elsewhere')
}
