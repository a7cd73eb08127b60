import {
  AppError,
  conflict,
  createBatcher,
  type Logger,
  metrics,
  notFound,
  passwordRequired,
  unauthenticated,
  unavailable,
} from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { LinkProof } from '../sharing/link-proof.ts'
import type { RankedPhotos } from './ballots.ts'
import { VOTE_STATEMENT } from './vote-statement.ts'

/** A request to put this photo at this rank of this voter's ballot. */
export interface Vote {
  folderId: number
  photoId: number
  /** 0 removes the photo from the ballot. */
  rank: 0 | 1 | 2 | 3
  /** The photo that held the rank gets the one that this photo had; otherwise it loses its rank. */
  swaps: boolean
  /** Keyed hashes in the text form of UUIDs. */
  voter: string
  /** Whose ballot it is; null: that of a browser or a user. */
  invitation: number | null
  /** The ballot is that of the signed-in user. */
  ofUser: boolean
  address: string
  /** Of the /48 of an IPv6 address. */
  site: string | null
  token: string
  /** The request had no voter token, so its browser has loaded no page of a folder. */
  pageUnseen: boolean
  /** The signed-in user, if any: owners may vote in their private folders. */
  userId: number | null
  link: LinkProof
}

type Reason =
  | 'busy'
  | 'no-folder'
  | 'locked'
  | 'view-only'
  | 'not-open'
  | 'closed'
  | 'no-user'
  | 'no-invitation'
  | 'no-photo'
  | 'elsewhere'
  | 'private'
  | 'raw'
/** With the JPEG where the photo is the raw file of a pair. */
interface Rejection {
  reason: Reason
  jpeg: number | null
}
type Outcome = { rejection: Rejection } | { rankings: RankedPhotos; ownerId: number }
type Row = [
  kind: Reason | 'ballot' | 'counted' | 'owner',
  key: number,
  voter: string,
  first: number | null,
  second: number | null,
  third: number | null,
]

export interface VoteCaster {
  /**
   * Stores a vote; resolves with the photos of the voter's ballot after the commit.
   * Throws 404 when the folder or the photo does not exist for this caller, 403 when the caller's link is locked or does not
   * vote, or an invitation is missing, 401 where users vote and nobody is signed in, 409 when voting is not open or the caller
   * sees both but the photo cannot be ranked there, 503 when the database is unavailable, the queue full or the folder locked.
   */
  cast(vote: Vote): Promise<RankedPhotos>
}

export interface VoteCasterDeps {
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
  'Time that the first vote of a batch waited for its start',
  [],
  [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
)
const commitTime = metrics.histogram(
  'skyfolio_vote_commit_seconds',
  'Time from the start of a batch to its commit or failure',
  [],
  [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
)
const rejected = metrics.counter('skyfolio_votes_rejected_total', 'Votes rejected because the queue was full')
const queued = metrics.gauge('skyfolio_votes_queued', 'Votes queued or being committed')

/** Commits votes in batches: two in flight, each one statement; votes on one ballot keep their order. */
export function createVoteCaster({ pool, logger, onChange }: VoteCasterDeps): VoteCaster {
  async function commit(votes: Vote[]): Promise<Outcome[]> {
    const stopTimer = commitTime.startTimer()
    try {
      const { rows } = await pool.query<Row>({
        name: 'votes',
        text: VOTE_STATEMENT,
        values: toColumns(votes),
        rowMode: 'array',
      })
      return toOutcomes(votes, rows)
    } catch (error) {
      logger.error({ err: error, votes: votes.length }, 'vote batch commit failed')
      throw unavailable(undefined, 1)
    } finally {
      stopTimer()
    }
  }

  const batches = createBatcher<Vote, Outcome>({
    run: commit,
    keyOf: ballotKey,
    maxInFlight: 2,
    maxBatch: MAX_BATCH,
    maxQueued: MAX_QUEUED,
    onReject: () => rejected.inc(),
    observe({ size, waitMs }) {
      batchSize.observe(size)
      batchWait.observe(waitMs / 1000)
    },
  })
  metrics.onScrape('votes', () => [[queued, batches.queued()]])

  return {
    // Not async, like the steps before it: with each vote a promise less.
    cast: (vote) =>
      batches.submit(vote).then((outcome) => {
        if ('rejection' in outcome) throw toHttpError(outcome.rejection)
        onChange(vote.folderId, outcome.ownerId)
        return outcome.rankings
      }),
  }
}

/** One array literal for each parameter. The values are numbers, hex digits, letters, and share codes: none has quotes or backslashes. */
function toColumns(votes: Vote[]): string[] {
  const column = (value: (vote: Vote) => string | number) => `{${votes.map(value).join()}}`
  return [
    column((vote) => vote.folderId),
    column((vote) => vote.photoId),
    column((vote) => vote.rank),
    column((vote) => vote.voter),
    column((vote) => vote.address),
    column((vote) => vote.site ?? 'NULL'),
    column((vote) => vote.token),
    column((vote) => vote.userId ?? 0),
    column((vote) => `"${vote.link.revisions.join(' ')}"`),
    column((vote) => `"${vote.link.shareCode}"`),
    column((vote) => (vote.pageUnseen ? 't' : 'f')),
    column((vote) => (vote.swaps ? 't' : 'f')),
    column((vote) => `"${vote.link.unlocked.map(([id, revision]) => `${id}.${revision}`).join(' ')}"`),
    column((vote) => vote.invitation ?? 0),
    column((vote) => (vote.ofUser ? 't' : 'f')),
  ]
}

function ballotKey({ folderId, voter }: { folderId: number; voter: string }): string {
  return `${folderId} ${voter}`
}

function toOutcomes(votes: Vote[], rows: Row[]): Outcome[] {
  const rejections = new Map<number, Rejection>()
  const ballots = new Map<string, Row>()
  const folderOf = new Map<number, number | null>()
  const owners = new Map<number, number | null>()
  for (const row of rows) {
    const [kind, key, voter, first] = row
    if (kind === 'ballot') ballots.set(ballotKey({ folderId: key, voter }), row)
    else if (kind === 'counted') folderOf.set(key, first)
    else if (kind === 'owner') owners.set(key, first)
    else rejections.set(key, { reason: kind, jpeg: first })
  }
  return votes.map((vote, index) => {
    const rejection = rejections.get(index + 1)
    if (rejection) return { rejection }
    // No row: a photo was removed from a ballot that does not exist.
    const [, , , first, second, third] = ballots.get(ballotKey(vote)) ?? []
    const counted = (photo: number | null | undefined) => (photo && folderOf.get(photo) === vote.folderId ? photo : 0)
    const rankings = { first: counted(first), second: counted(second), third: counted(third) }
    return { rankings, ownerId: owners.get(vote.folderId) as number }
  })
}

function toHttpError({ reason, jpeg }: Rejection): Error {
  if (reason === 'busy') return unavailable(undefined, 1)
  if (reason === 'not-open') return conflict('Voting has not begun yet.', 'voting_not_open')
  if (reason === 'no-user') return unauthenticated()
  if (reason === 'no-invitation')
    return new AppError(403, 'invitation_required', 'Voting needs an invitation. Open the link of yours.')
  if (reason === 'closed') return conflict('Voting is closed', 'voting_closed')
  if (reason === 'locked') return passwordRequired()
  if (reason === 'view-only')
    return new AppError(403, 'view_only', 'This link shows the photos only. To vote, use a voting link.')
  if (reason === 'no-folder') return notFound('Folder not found')
  if (reason === 'no-photo') return notFound('Photo not found')
  if (reason === 'raw') {
    return conflict(`This is the raw file of photo ${jpeg}. Please rank that photo.`, 'photo_paired')
  }
  if (reason === 'private') return conflict('This photo is private. Make it public to rank it.', 'photo_private')
  return conflict('This photo is not in that folder.', 'photo_elsewhere')
}
