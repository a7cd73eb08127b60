import type { LaunchedSystem } from '../../local/launch.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import {
  areAllReady,
  checkBytes,
  compareProjection,
  findObjectsWithoutRow,
  findRowsWithoutObject,
  openStoredData,
  type StoredData,
} from '../faults/consistency.ts'
import { reconcileNow } from '../faults/reconcile-now.ts'
import { checkProcessExits, expectEventually, type Verdict } from '../faults/runner.ts'
import { groupByBallot } from '../load/ballots.ts'
import { checkStandings } from '../load/check-votes.ts'
import { openVoteRows } from '../load/vote-rows.ts'
import { checkAccounts, checkMails, readUsage, readUsers } from './accounts.ts'
import { checkLeaver } from './deletions.ts'
import type { ConcurrentLoad, FilledSystem } from './load.ts'
import { checkNewOrder, checkOrderedPhotos, checkOrders, readOrderedPhotos } from './orders.ts'
import { type Environment, query, runCommand } from './query.ts'

const TIMEOUT_MS = 60_000

interface FolderRow {
  id: number
  userId: number
  isPublic: boolean
  revision: number
  visibilityRevision: number
}

const FOLDERS = `SELECT id, user_id AS "userId", is_public AS "isPublic", revision,
  visibility_revision AS "visibilityRevision" FROM folders`

/** Reads the folders of the folders service, and media's projection of those that exist. */
async function readFolders(env: Environment): Promise<{ own: FolderRow[]; known: FolderRow[] }> {
  return {
    own: await query(env, 'folders', FOLDERS),
    known: await query(env, 'media', `${FOLDERS} WHERE NOT deleted`),
  }
}

/** Finds projections that are newer than their source: events could never correct them. */
export async function findNewerCopies(env: RuntimeState['env']): Promise<string[]> {
  const state = { url: '', runner: { name: '', pid: 0, started: '' }, processes: [], env }
  const evidence = await openStoredData(state)
  const [photos, projected] = [await evidence.photos(), await evidence.projectedPhotos()]
  const ordered = await readOrderedPhotos(env)
  await evidence.close()
  const { own, known } = await readFolders(env)
  const users = await readUsers(env)
  const usage = await readUsage(env)
  return [
    ...newer('photo', photos, projected),
    ...newer('photo', photos, ordered),
    ...newer('folder', own, known),
    ...newer('user', users.own, users.known),
    ...newer('usage of user', usage.own, usage.known),
  ]
}

interface Revised {
  id: number
  revision: number
}

function newer(what: string, own: Revised[], copies: Revised[]): string[] {
  const revisions = new Map(own.map(({ id, revision }) => [id, revision]))
  // A missing entity was deleted: its copy is older than the deletion.
  const tooNew = copies.filter(({ id, revision }) => revision > (revisions.get(id) ?? revision))
  return tooNew.map(({ id }) => `the copy of ${what} ${id} is newer than ${what} ${id}`)
}

function compareFolders({ own, known }: Awaited<ReturnType<typeof readFolders>>): string[] {
  const texts = new Map(own.map((folder) => [folder.id, JSON.stringify(folder)]))
  return known
    .filter((folder) => texts.get(folder.id) !== JSON.stringify(folder))
    .map(({ id }) => `the projection of folder ${id} in media differs`)
}

/** The steps of an operator after a restore: the streams are empty, so each service republishes its state. */
async function exchangeState(state: RuntimeState): Promise<string[]> {
  const output: string[] = []
  const run = async (service: string, command: string, ...args: string[]) =>
    output.push(
      `  ${await runCommand(state.env[service] ?? {}, `services/${service}/src/commands/${command}.ts`, ...args)}`,
    )
  const projecting = ['folders', 'print-orders', 'auth']
  for (const service of projecting) await run(service, 'rebuild', 'begin')
  for (const service of ['auth', 'media']) await run(service, 'republish')
  for (const service of projecting) await run(service, 'rebuild', 'end')
  for (const service of ['folders', 'print-orders']) await run(service, 'republish')
  return output
}

/** Checks that rows, objects and projections are consistent, and that no photo remains in processing. */
async function checkConsistency(
  verdict: Verdict,
  state: RuntimeState,
  evidence: StoredData,
  lost: number,
): Promise<void> {
  const before = compareProjection(await evidence.photos(), await evidence.projectedPhotos())
  verdict.facts.push(`photos whose projection differed before republishing: ${before.length}`)
  verdict.facts.push('republished:', ...(await exchangeState(state)))
  await expectEventually(verdict, 'no photo is in processing', TIMEOUT_MS, async () => {
    return (await evidence.photos()).every(({ status }) => status !== 'processing')
  })
  await expectEventually(verdict, 'the projection in folders matches media', TIMEOUT_MS, async () => {
    return compareProjection(await evidence.photos(), await evidence.projectedPhotos()).length === 0
  })
  await checkOrderedPhotos(verdict, state, evidence)
  await checkAccounts(verdict, state)
  await expectEventually(verdict, 'the projection in media matches folders', TIMEOUT_MS, async () => {
    return compareFolders(await readFolders(state.env)).length === 0
  })

  const orphans = async () =>
    findObjectsWithoutRow(await evidence.photos(), await evidence.objectKeys(), await evidence.printImages())
  verdict.facts.push(`objects without a row, copied after the database snapshot: ${(await orphans()).length}`)
  const output = await reconcileNow(state)
  verdict.facts.push('media:reconcile:', ...output.split('\n').map((line) => `  ${line}`))
  await expectEventually(verdict, 'no object is without a row', TIMEOUT_MS, async () => (await orphans()).length === 0)
  const missing = findRowsWithoutObject(
    await evidence.photos(),
    await evidence.objectKeys(),
    await evidence.printImages(),
  )
  if (missing.length > lost) verdict.errors.push(...missing)
  const dryRun = await runCommand(
    state.env['media-worker'] ?? {},
    'services/media/src/commands/reconcile.ts',
    '--dry-run',
  )
  if (lost === 0 && !dryRun.includes('All is in order.')) verdict.errors.push(`media:reconcile reports: ${dryRun}`)
}

async function checkVotes(
  verdict: Verdict,
  system: LaunchedSystem,
  filled: FilledSystem,
  present: Set<number>,
): Promise<void> {
  const rows = openVoteRows(await system.state())
  const deleted = new Set(filled.folders.flatMap(({ photos }) => photos).filter((id) => !present.has(id)))
  const ballots = groupByBallot(filled.votes)
  const wrong = [...(await rows.wrongBallots(ballots, deleted)), ...(await rows.wrongTallies())]
  const all = (await rows.ballots()).length
  await rows.close()
  verdict.facts.push(`ballots: ${all}, ${ballots.length} compared with the acknowledged votes; wrong: ${wrong.length}`)
  verdict.errors.push(...wrong)
}

/** Checks that the system works: sign-in, a new folder with a moved photo, a vote, and old links with their pictures. */
async function checkNewActivity(
  verdict: Verdict,
  url: string,
  { pilot, folders }: FilledSystem,
  evidence: StoredData,
): Promise<void> {
  const session = await openSignedInClient(url, pilot)
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
  await expectEventually(
    verdict,
    'a photo that is moved into a new folder appears on its share page',
    TIMEOUT_MS,
    shares,
  )
  const vote = await fetch(`${url}/api/photos/${photos[0]?.id}/rank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fingerprint: 'somebody-new', rank: 'first', folderId: folder.id }),
  })
  if (vote.status !== 200) verdict.errors.push(`a new vote got ${vote.status}`)
  for (const { code } of folders) {
    const response = await fetch(`${url}/api/share/${code}`)
    if (!response.ok) {
      verdict.errors.push(`the old share link ${code} returned ${response.status}`)
      continue
    }
    const { photos } = (await response.json()) as { photos: { thumbnailUrl: string | null }[] }
    const picture = photos.find(({ thumbnailUrl }) => thumbnailUrl)?.thumbnailUrl
    if (!picture) continue
    const opened = (await fetch(url + picture)).status
    if (opened !== 200) verdict.errors.push(`a picture of the old share link ${code} returned ${opened}`)
  }
  await expectEventually(verdict, 'the projection in folders still matches media', TIMEOUT_MS, async () => {
    return compareProjection(await evidence.photos(), await evidence.projectedPhotos()).length === 0
  })
}

/** Checks a restored system that has just been started. */
export async function checkRestoredSystem(
  system: LaunchedSystem,
  { filled, meanwhile, lost }: { filled: FilledSystem; meanwhile: ConcurrentLoad; lost: number },
  verdict: Verdict,
): Promise<void> {
  const state = await system.state()
  const evidence = await openStoredData(state)
  verdict.errors.push(...meanwhile.errors)
  await expectEventually(verdict, 'every service is ready', TIMEOUT_MS, async () => areAllReady(await system.state()))
  await checkLeaver(verdict, state, filled.leaver)
  await checkConsistency(verdict, state, evidence, lost)

  const photos = await evidence.photos()
  const { cookie } = await openSignedInClient(system.url, filled.pilot)
  const uploads = filled.uploads.map((one) => ({ ...one, cookie }))
  const bytes = await checkBytes(system.url, photos, uploads)
  verdict.facts.push(`photos: ${photos.length}, ${uploads.length} compared byte for byte; wrong: ${bytes.length}`)
  verdict.errors.push(...bytes)
  await checkVotes(verdict, system, filled, new Set(photos.map(({ id }) => id)))
  const owner = await openSignedInClient(system.url, filled.account)
  for (const { id } of filled.folders) verdict.errors.push(...(await checkStandings(system.url, owner, id)))
  await checkOrders(verdict, state, filled.orders, meanwhile.orders)
  await checkNewActivity(verdict, system.url, filled, evidence)
  await checkMails(verdict, state)
  await checkNewOrder(verdict, system.url, filled.pilot, filled.uploads.at(-1)?.photoId ?? 0)
  checkProcessExits(verdict, system)
  await evidence.close()
}
