import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPool } from '@skyfolio/kit/database'
import type { LaunchedSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import { openSession } from '../../local/session.ts'
import type { RuntimeState } from '../../local/state.ts'
import {
  allReady,
  checkBytes,
  type Evidence,
  objectsWithoutRow,
  openEvidence,
  projectionDiffers,
  rowsWithoutObject,
} from '../faults/checks.ts'
import { expectSoon, noteEnds, type Verdict } from '../faults/run.ts'
import { sweepNow } from '../faults/sweep.ts'
import { byBallot } from '../load/ballots.ts'
import { openVoteRows } from '../load/vote-rows.ts'
import { checkStandings } from '../load/votes-check.ts'
import type { Filled, Meanwhile } from './drill-use.ts'

const soonMs = 60_000

interface FolderRow {
  id: number
  userId: number
  isPublic: boolean
  revision: number
  visibilityRevision: number
}

type Row = Record<string, never>
const FOLDERS = `SELECT id, user_id AS "userId", is_public AS "isPublic", revision,
  visibility_revision AS "visibilityRevision" FROM folders`

/** Folders as their service has them, and as media knows those that are there. */
export async function readFolders({
  env,
}: Pick<RuntimeState, 'env'>): Promise<{ own: FolderRow[]; known: FolderRow[] }> {
  const [own, known] = await Promise.all(
    [
      ['folders', FOLDERS],
      ['media', `${FOLDERS} WHERE NOT deleted`],
    ].map(async ([service = '', query = '']) => {
      const pool = openPool(env[service]?.DATABASE_URL ?? '', { max: 1 })
      const { rows } = await pool.query<FolderRow & Row>(query)
      await pool.end()
      return rows
    }),
  )
  return { own: own ?? [], known: known ?? [] }
}

/** What one service knows of another's must not be newer than the other's own: it could never be set right. */
export async function newerCopies(env: RuntimeState['env']): Promise<string[]> {
  const state = { url: '', runner: { name: '', pid: 0, started: '' }, processes: [], env }
  const evidence = await openEvidence(state)
  const [photos, projected] = [await evidence.photos(), await evidence.projected()]
  await evidence.close()
  const { own, known } = await readFolders(state)
  return [...newer('photo', photos, projected), ...newer('folder', own, known)]
}

interface Revised {
  id: number
  revision: number
}

function newer(what: string, own: Revised[], copies: Revised[]): string[] {
  const revisions = new Map(own.map(({ id, revision }) => [id, revision]))
  // One that is not there was deleted: its copy is older than that.
  const tooNew = copies.filter(({ id, revision }) => revision > (revisions.get(id) ?? revision))
  return tooNew.map(({ id }) => `the copy of ${what} ${id} is newer than ${what} ${id}`)
}

function foldersDiffer({ own, known }: Awaited<ReturnType<typeof readFolders>>): string[] {
  const texts = new Map(own.map((folder) => [folder.id, JSON.stringify(folder)]))
  return known
    .filter((folder) => texts.get(folder.id) !== JSON.stringify(folder))
    .map(({ id }) => `media does not know folder ${id} as it is`)
}

/** Runs one of the commands of docs/operations.md as a service would. */
async function command({ env }: RuntimeState, service: string, file: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, file), ...args], {
    env: { ...process.env, ...env[service] },
  })
  return `  ${stdout.trim()}`
}

/** What an operator does after a restore: the streams are empty, so each service tells the other all that it has. */
async function agree(state: RuntimeState): Promise<string[]> {
  return [
    await command(state, 'folders', 'services/folders/src/commands/rebuild.ts', 'begin'),
    await command(state, 'media', 'services/media/src/commands/republish.ts'),
    await command(state, 'folders', 'services/folders/src/commands/rebuild.ts', 'end'),
    await command(state, 'folders', 'services/folders/src/commands/republish.ts'),
  ]
}

/** Whether rows, objects and copies agree, and no photo is left in the middle of something. */
async function checkAgreement(verdict: Verdict, state: RuntimeState, evidence: Evidence, lost: number): Promise<void> {
  const before = projectionDiffers(await evidence.photos(), await evidence.projected())
  verdict.facts.push(`photos that folders knew otherwise before it was told: ${before.length}`)
  verdict.facts.push('told once more:', ...(await agree(state)))
  await expectSoon(verdict, 'no photo is in processing', soonMs, async () => {
    return (await evidence.photos()).every(({ status }) => status !== 'processing')
  })
  await expectSoon(verdict, 'folders has the photos that media has', soonMs, async () => {
    return projectionDiffers(await evidence.photos(), await evidence.projected()).length === 0
  })
  await expectSoon(verdict, 'media has the folders that folders has', soonMs, async () => {
    return foldersDiffer(await readFolders(state)).length === 0
  })

  const orphans = async () => objectsWithoutRow(await evidence.photos(), await evidence.objectKeys())
  verdict.facts.push(`objects without a row, copied after the databases' moment: ${(await orphans()).length}`)
  const said = await sweepNow(state)
  verdict.facts.push('media:reconcile:', ...said.split('\n').map((line) => `  ${line}`))
  await expectSoon(verdict, 'no object is without a row', soonMs, async () => (await orphans()).length === 0)
  const missing = rowsWithoutObject(await evidence.photos(), await evidence.objectKeys())
  if (missing.length > lost) verdict.wrong.push(...missing)
  const again = await command(state, 'media-worker', 'services/media/src/commands/reconcile.ts', '--dry-run')
  if (lost === 0 && !again.includes('All is in order.')) verdict.wrong.push(`media:reconcile says: ${again.trim()}`)
}

async function checkVotes(
  verdict: Verdict,
  system: LaunchedSystem,
  filled: Filled,
  present: Set<number>,
): Promise<void> {
  const rows = openVoteRows(await system.state())
  const gone = new Set(filled.folders.flatMap(({ photos }) => photos).filter((id) => !present.has(id)))
  const ballots = byBallot(filled.votes)
  const wrong = [...(await rows.wrongBallots(ballots, gone)), ...(await rows.wrongTallies())]
  const all = (await rows.ballots()).length
  await rows.close()
  verdict.facts.push(
    `ballots: ${all}, of them ${ballots.length} compared with what their voters were told; wrong: ${wrong.length}`,
  )
  verdict.wrong.push(...wrong)
}

/** Life goes on: who was there signs in, uploads, votes and hides a folder, and others hear of it. */
async function checkLife(verdict: Verdict, url: string, { pilot, folders }: Filled, evidence: Evidence): Promise<void> {
  const session = await openSession(url, pilot)
  const folder = (await session.call('POST', '/api/folders', { name: 'After', isPublic: true })) as {
    id: number
    shareCode: string
  }
  const photos = (await session.call('GET', '/api/photos')) as { id: number }[]
  await session.call('PATCH', `/api/photos/${photos[0]?.id}/folder`, { folderId: folder.id })
  const shares = async () => {
    const page = (await (await fetch(`${url}/api/share/${folder.shareCode}`)).json()) as { photos: { id: number }[] }
    return page.photos.map(({ id }) => id).join() === String(photos[0]?.id)
  }
  await expectSoon(verdict, 'a photo that is moved into a new folder is on its share page', soonMs, shares)
  const vote = await fetch(`${url}/api/photos/${photos[0]?.id}/rank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fingerprint: 'somebody-new', rank: 'first', folderId: folder.id }),
  })
  if (vote.status !== 200) verdict.wrong.push(`a new vote is answered ${vote.status}`)
  for (const { code } of folders) {
    const answer = await fetch(`${url}/api/share/${code}`)
    if (!answer.ok) verdict.wrong.push(`the old share link ${code} answers ${answer.status}`)
  }
  await expectSoon(verdict, 'folders still has the photos that media has', soonMs, async () => {
    return projectionDiffers(await evidence.photos(), await evidence.projected()).length === 0
  })
}

/** Looks at a restored system that has just been started. */
export async function examine(
  system: LaunchedSystem,
  { filled, meanwhile, lost }: { filled: Filled; meanwhile: Meanwhile; lost: number },
  verdict: Verdict,
): Promise<void> {
  const state = await system.state()
  const evidence = await openEvidence(state)
  verdict.wrong.push(...meanwhile.wrong)
  await expectSoon(verdict, 'every service is ready', soonMs, async () => allReady(await system.state()))
  await checkAgreement(verdict, state, evidence, lost)

  const photos = await evidence.photos()
  const { cookie } = await openSession(system.url, filled.pilot)
  const uploads = filled.uploads.map((one) => ({ ...one, cookie }))
  const bytes = await checkBytes(system.url, photos, uploads)
  verdict.facts.push(
    `photos: ${photos.length}, of them ${uploads.length} compared byte for byte; wrong: ${bytes.length}`,
  )
  verdict.wrong.push(...bytes)
  await checkVotes(verdict, system, filled, new Set(photos.map(({ id }) => id)))
  const owner = await openSession(system.url, filled.account)
  for (const { id } of filled.folders) verdict.wrong.push(...(await checkStandings(system.url, owner, id)))
  await checkLife(verdict, system.url, filled, evidence)
  noteEnds(verdict, system)
  await evidence.close()
}
