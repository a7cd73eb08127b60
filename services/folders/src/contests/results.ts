import { randomBytes } from 'node:crypto'
import { conflict, inTransaction, type Logger } from '@skyfolio/kit'
import type { Pool, PoolClient } from 'pg'
import { LOCK_VOTING } from '../folders/locks.ts'
import {
  type BallotFile,
  type BallotGroup,
  type Count,
  type CountEntry,
  countBallots,
  digestBallots,
  digestEntry,
  RULE,
} from './count.ts'

/** The result of a folder whose voting is over. */
export interface Result extends Count {
  folder: { id: number; name: string; userId: number }
  closedAt: Date
  text: string | null
  /** The candidates, the earliest upload first. */
  photos: { id: number; title: string }[]
  groups: BallotGroup[]
  /** Of the digest of the ballots in the log's last entry. */
  salt: string
  /** The oldest first. */
  log: CountEntry[]
}

export interface Results {
  /**
   * Counts a folder's ballots and adds to the published log if what is counted has changed since the last count. Null while
   * voting is not over, and for an unknown folder.
   */
  count(folderId: number): Promise<Result | null>
  /** Counts the folders whose voting is over and that were not counted since. */
  countClosed(): Promise<void>
}

const SECONDS = 20
const FOLDERS_AT_ONCE = 20

const TO_COUNT = `
SELECT id FROM folders
WHERE closed_at IS NULL AND (closes_at IS NOT NULL OR NOT voting_open) AND (closes_at <= clock_timestamp() OR NOT voting_open)
ORDER BY id LIMIT ${FOLDERS_AT_ONCE}`

const IS_TO_CLOSE = `
SELECT FROM folders JOIN phases ON phases.folder_id = folders.id WHERE id = $1 AND closed_at IS NULL AND phase = 'closed'`

const FOLDER = `
SELECT id, name, user_id AS "userId", closed_at AS "closedAt", results_text AS text FROM folders WHERE id = $1 FOR NO KEY UPDATE`

const CLOSE = `
UPDATE folders SET closed_at = GREATEST(
  LEAST(
    CASE WHEN closes_at <= clock_timestamp() THEN closes_at END,
    CASE WHEN NOT voting_open THEN COALESCE(
      (SELECT max(at) FROM voting_log WHERE folder_id = folders.id AND action = 'closed'), clock_timestamp()) END),
  -- Votes were accepted until then, also when the owner sets an end in the past.
  (SELECT max(at) FROM voting_log WHERE folder_id = folders.id AND (action = 'opened' OR note LIKE '%closing time%')))
WHERE id = $1 AND closed_at IS NULL AND (SELECT phase = 'closed' FROM phases WHERE folder_id = $1)`

const PHOTOS = `
SELECT id, title FROM photos_with_visibility WHERE folder_id = $1 AND counted ORDER BY created_at, id`

const GROUPS = `
SELECT first, second, third, excluded, count(*)::integer AS count FROM ballots
WHERE folder_id = $1 AND num_nonnulls(first, second, third) > 0
GROUP BY first, second, third, excluded`

const LOG = `
SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, ballots, excluded, note,
       ballots_digest AS "ballotsDigest", digest, salt, log_id AS "logId"
FROM vote_counts WHERE folder_id = $1 ORDER BY id`

const ACTIONS = `
SELECT id, action, ballots, note FROM voting_log WHERE folder_id = $1 AND id > $2 ORDER BY id`

const APPEND = `
INSERT INTO vote_counts (folder_id, at, ballots, excluded, note, ballots_digest, digest, salt, log_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

export function createResults({ pool, logger, onCount }: ResultsDeps): Results {
  const results: Results = {
    async count(folderId) {
      // By itself: a voting whose ballots cannot be counted now is over all the same.
      await close(pool, folderId)
      return inTransaction(pool, async (client) => {
        await client.query(`SET LOCAL statement_timeout = '${SECONDS}s'`)
        const folder = (await client.query<FolderRow>(FOLDER, [folderId])).rows[0]
        return folder?.closedAt ? countFolder(client, { ...folder, closedAt: folder.closedAt }) : null
      })
    },

    async countClosed() {
      const { rows } = await pool.query<{ id: number }>(TO_COUNT)
      for (const { id } of rows) {
        try {
          const result = await results.count(id)
          if (result) onCount(id, result.folder.userId)
        } catch (error) {
          logger.error({ err: error, folder: id }, 'count of ballots failed, the next reader counts them')
        }
      }
    },
  }
  return results
}

export interface ResultsDeps {
  pool: Pool
  logger: Logger
  /** Called after the first count of a voting. */
  onCount(folderId: number, ownerId: number): void
}

interface FolderRow {
  id: number
  name: string
  userId: number
  closedAt: Date | null
  text: string | null
}

/**
 * Ends a voting that is over: once its lock was held, no vote is in progress, and from the commit on none is accepted even if the
 * clock of the database is set back.
 */
async function close(pool: Pool, folderId: number): Promise<void> {
  if ((await pool.query(IS_TO_CLOSE, [folderId])).rowCount === 0) return
  await inTransaction(pool, async (client) => {
    await client.query(FOLDER, [folderId])
    await client.query(LOCK_VOTING, [folderId])
    await client.query(CLOSE, [folderId])
  })
}

async function countFolder(client: PoolClient, folder: FolderRow & { closedAt: Date }): Promise<Result> {
  const { id, name, userId, closedAt, text } = folder
  const photos = (await client.query<{ id: number; title: string }>(PHOTOS, [id])).rows
  const candidates = photos.map((photo) => photo.id)
  const groups = regroup((await client.query<BallotGroup>(GROUPS, [id])).rows, new Set(candidates))
  const count = countBallots(groups, candidates)
  const counted = { folder: { id, name }, closedAt: closedAt.toISOString(), photos, ballots: groups }
  const { log, salt } = await appendCount(client, id, count, (salt) => digestBallots({ ...counted, salt }))
  return { folder: { id, name, userId }, closedAt, text, photos, groups, salt, log, ...count }
}

/** Without photos that are no candidates any more, and without what is then empty. */
function regroup(rows: BallotGroup[], candidates: Set<number>): BallotGroup[] {
  const groups = new Map<string, BallotGroup>()
  const counted = (photo: number | null) => (photo !== null && candidates.has(photo) ? photo : null)
  for (const { first, second, third, excluded, count } of rows) {
    const choice = { first: counted(first), second: counted(second), third: counted(third) }
    if (choice.first === null && choice.second === null && choice.third === null) continue
    const key = `${choice.first},${choice.second},${choice.third},${excluded}`
    const group = groups.get(key)
    if (group) group.count += count
    else groups.set(key, { ...choice, excluded, count })
  }
  // In an order that tells nothing about when ballots were cast.
  const order = [...groups].sort(([one], [other]) => (one < other ? -1 : 1))
  return order.map(([, group]) => group)
}

type LogRow = CountEntry & { salt: string; logId: string }
interface ActionRow {
  id: string
  action: string
  ballots: number | null
  note: string | null
}

/** Returns the published log, with a new entry unless the last one still holds, and that entry's salt. */
async function appendCount(
  client: PoolClient,
  folderId: number,
  { ballots, excluded }: Count,
  digestOf: (salt: string) => string,
): Promise<{ log: CountEntry[]; salt: string }> {
  const rows = (await client.query<LogRow>(LOG, [folderId])).rows
  const last = rows.at(-1)
  const log = rows.map(({ logId, salt, ...entry }) => entry)
  if (last && last.ballotsDigest === digestOf(last.salt)) return { log, salt: last.salt }
  const actions = (await client.query<ActionRow>(ACTIONS, [folderId, last?.logId ?? 0])).rows
  const [time] = (await client.query<{ at: Date }>('SELECT clock_timestamp() AS at')).rows
  const at = (time as { at: Date }).at.toISOString()
  const note = noteOf(actions, last === undefined)
  const salt = randomBytes(16).toString('hex')
  const entry = { at, ballots, excluded, note, ballotsDigest: digestOf(salt) }
  const digest = digestEntry(last?.digest ?? '', entry)
  const logId = actions.at(-1)?.id ?? last?.logId ?? 0
  await client.query(APPEND, [folderId, at, ballots, excluded, note, entry.ballotsDigest, digest, salt, logId])
  return { log: [...log, { ...entry, digest }], salt }
}

/** What happened since the count before, in the words of the published log. It names no voter. */
function noteOf(actions: ActionRow[], isFirst: boolean): string {
  const counts = new Map<string, number>()
  const changes = new Set<string>()
  for (const { action, ballots, note } of actions) {
    counts.set(action, (counts.get(action) ?? 0) + (ballots ?? 1))
    for (const change of note?.split(', ') ?? []) changes.add(change)
  }
  const texts = [...counts].map(([action, count]) => actionText(action, count, changes))
  const turn = actions.findLast(({ action }) => action === 'opened' || action === 'closed')
  if (turn ? turn.action === 'opened' : isFirst) texts.push('closed by time')
  else if (actions.every(({ action }) => action === 'changed') && !changes.has('closing time'))
    texts.push('photos changed')
  return texts.join('; ')
}

function actionText(action: string, count: number, changes: Set<string>): string {
  if (action === 'opened' || action === 'closed') return `voting ${action}`
  if (action === 'reset') return 'all votes reset'
  if (action === 'changed') return `changed: ${[...changes].join(', ')}`
  const what = action === 'withdrawn' ? 'invitation' : 'ballot'
  return `${count} ${what}${count === 1 ? '' : 's'} ${action}`
}

/** The file for a recount. @throws AppError 409 while voting is not over */
export async function readBallotFile(results: Results, folderId: number): Promise<BallotFile> {
  const result = await results.count(folderId)
  if (!result) throw conflict('Ballots can be counted once voting is closed.', 'voting_open')
  const { folder, closedAt, photos, groups, salt, log } = result
  return {
    folder: { id: folder.id, name: folder.name },
    rule: RULE,
    closedAt: closedAt.toISOString(),
    photos,
    ballots: groups,
    salt,
    log,
    digest: log.at(-1)?.digest ?? '',
  }
}
