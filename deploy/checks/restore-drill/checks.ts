import type { LaunchedSystem } from '../../local/launch.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import type { PlacedOrder } from '../../smoke/print-order.ts'
import {
  areAllReady,
  checkBytes,
  findObjectsWithoutRow,
  findRowsWithoutObject,
  openStoredData,
  reconcileNow,
  type StoredData,
} from '../faults/consistency.ts'

import { checkProcessExits, expectEventually, type Verdict } from '../faults/runner.ts'
import { groupByBallot } from '../load/ballots.ts'
import { checkStandings } from '../load/check-votes.ts'
import { readShare } from '../load/seed-folders.ts'
import { openVoteRows } from '../load/vote-rows.ts'
import { checkLeaver } from './deleted-account.ts'
import { type ConcurrentLoad, createSharedFolder, type FilledSystem, orderPrints } from './load.ts'
import { checkMails } from './mails.ts'
import { findDifferences } from './projections.ts'
import { query, runCommand } from './query.ts'

const TIMEOUT_MS = 60_000

/** The steps of an operator after a restore: the streams are empty, so each service republishes its state. */
async function exchangeState(state: RuntimeState): Promise<void> {
  const run = (service: string, command: string, ...args: string[]) =>
    runCommand(state.env[service] ?? {}, `services/${service}/src/commands/${command}.ts`, ...args)
  const projecting = ['folders', 'print-orders', 'auth']
  for (const service of projecting) await run(service, 'rebuild', 'begin')
  for (const service of ['auth', 'media']) await run(service, 'republish')
  for (const service of projecting) await run(service, 'rebuild', 'end')
  for (const service of ['folders', 'print-orders']) await run(service, 'republish')
}

async function checkProjections(verdict: Verdict, { env }: RuntimeState): Promise<void> {
  await expectEventually(verdict, 'every projection equals its source', TIMEOUT_MS, async () => {
    return (await findDifferences(env)).length === 0
  })
  verdict.errors.push(...(await findDifferences(env)))
}

/** Checks that no photo remains in processing, and that rows and objects belong together. */
async function checkObjects(verdict: Verdict, state: RuntimeState, stored: StoredData, lost: number): Promise<void> {
  await expectEventually(verdict, 'no photo is in processing', TIMEOUT_MS, async () => {
    return (await stored.photos()).every(({ status }) => status !== 'processing')
  })
  const read = async () => [await stored.photos(), await stored.objectKeys(), await stored.printImages()] as const
  const orphans = async () => findObjectsWithoutRow(...(await read()))
  verdict.facts.push(`objects without a row, copied after the database snapshot: ${(await orphans()).length}`)
  await reconcileNow(state)
  await expectEventually(verdict, 'no object is without a row', TIMEOUT_MS, async () => (await orphans()).length === 0)
  const missing = findRowsWithoutObject(...(await read()))
  if (missing.length > lost) verdict.errors.push(...missing)
  const reconcile = 'services/media/src/commands/reconcile.ts'
  const found = await runCommand(state.env['media-worker'] ?? {}, reconcile, '--dry-run')
  if (lost === 0 && !found.includes('All is in order.')) verdict.errors.push(`media:reconcile reports: ${found}`)
}

/** Compares originals, ballots and standings with what was acknowledged before the backup. */
async function checkPhotosAndVotes(
  verdict: Verdict,
  state: RuntimeState,
  { pilot, account, uploads, folders, votes }: FilledSystem,
  stored: StoredData,
): Promise<void> {
  const photos = await stored.photos()
  const { cookie } = await openSignedInClient(state.url, pilot)
  const present = new Set(photos.map(({ id }) => id))
  const deleted = new Set(folders.flatMap((folder) => folder.photos).filter((id) => !present.has(id)))
  const ballots = groupByBallot(votes)
  const rows = openVoteRows(state)
  const owner = await openSignedInClient(state.url, account)
  verdict.errors.push(
    ...(await checkBytes(
      state.url,
      photos,
      uploads.map((one) => ({ ...one, cookie })),
    )),
    ...(await rows.wrongBallots(ballots, deleted)),
    ...(await rows.wrongTallies()),
    ...(await Promise.all(folders.map(({ id }) => checkStandings(state.url, owner, id)))).flat(),
  )
  await rows.close()
  verdict.facts.push(`photos: ${photos.length}, ${uploads.length} compared byte for byte`)
  verdict.facts.push(`ballots compared: ${ballots.length}`)
}

interface OrderRow {
  id: number
  vendorOrderId: string | null
  orderStatus: string
}

/**
 * Checks that the orders placed before the backup are there, that none was invented, and that one that was being placed at the snapshot
 * is shown as unknown, since only the partner knows its outcome.
 */
async function checkOrders(
  verdict: Verdict,
  { env }: RuntimeState,
  placed: PlacedOrder[],
  placedMeanwhile: PlacedOrder[],
): Promise<void> {
  const text = `SELECT id, vendor_order_id AS "vendorOrderId", order_status::text AS "orderStatus" FROM walgreens_orders`
  const readOrders = () => query<OrderRow>(env, 'print-orders', text)
  await expectEventually(verdict, 'no order is a claim', TIMEOUT_MS, async () => {
    return (await readOrders()).every(({ orderStatus }) => orderStatus !== 'claimed')
  })
  const rows = await readOrders()
  const numbers = new Map(rows.map(({ id, vendorOrderId }) => [id, vendorOrderId]))
  for (const { orderId, vendorOrderId } of placed)
    if (numbers.get(orderId) !== vendorOrderId) verdict.errors.push(`order ${orderId} is not ${vendorOrderId}`)
  const known = new Set([...placed, ...placedMeanwhile].map(({ vendorOrderId }) => vendorOrderId))
  for (const { id, vendorOrderId } of rows)
    if (vendorOrderId && !known.has(vendorOrderId)) verdict.errors.push(`order ${id} was never acknowledged`)
  const unknown = rows.filter(({ orderStatus }) => orderStatus === 'unknown').length
  verdict.facts.push(`print orders: ${rows.length}, ${placed.length} compared, ${unknown} with an unknown outcome`)
}

/** Checks that the system works: sign-in, a new folder with a moved photo, an order, a vote, and old links with their pictures. */
async function checkNewActivity(
  verdict: Verdict,
  url: string,
  { pilot, folders, uploads }: FilledSystem,
): Promise<void> {
  const session = await openSignedInClient(url, pilot)
  const photoId = uploads.at(-1)?.photoId ?? 0
  const code = await createSharedFolder(session, photoId, 'After')
  await expectEventually(verdict, 'a photo that is moved into a new folder is shared', TIMEOUT_MS, async () => {
    return (await readShare(url, code))[0]?.id === photoId
  })
  await orderPrints(session, photoId, 7).catch((error: Error) => verdict.errors.push(`a new order: ${error.message}`))
  const [folder] = folders
  const [photo] = await readShare(url, folder?.code ?? '')
  const vote = await fetch(`${url}/api/photos/${photo?.id}/rank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fingerprint: 'somebody-new', rank: 'first', folderId: folder?.id }),
  })
  if (vote.status !== 200) verdict.errors.push(`a new vote got ${vote.status}`)
  for (const { code } of folders) {
    const [photo] = await readShare(url, code)
    const opened = photo ? (await fetch(url + photo.url)).status : 200
    if (opened !== 200) verdict.errors.push(`a picture of the old share link ${code} returned ${opened}`)
  }
}

/** Checks a restored system that has just been started. */
export async function checkRestoredSystem(
  system: LaunchedSystem,
  { filled, meanwhile, lost }: { filled: FilledSystem; meanwhile: ConcurrentLoad; lost: number },
  verdict: Verdict,
): Promise<void> {
  const state = await system.state()
  const stored = await openStoredData(state)
  verdict.errors.push(...meanwhile.errors)
  await expectEventually(verdict, 'every service is ready', TIMEOUT_MS, async () => areAllReady(await system.state()))
  await checkLeaver(verdict, state, filled.leaver)
  verdict.facts.push(
    `entities whose projection differed before republishing: ${(await findDifferences(state.env)).length}`,
  )
  await exchangeState(state)
  await checkProjections(verdict, state)
  await checkObjects(verdict, state, stored, lost)
  await checkPhotosAndVotes(verdict, state, filled, stored)
  await checkOrders(verdict, state, filled.orders, meanwhile.orders)
  await checkNewActivity(verdict, system.url, filled)
  await checkProjections(verdict, state)
  await checkMails(verdict, state)
  checkProcessExits(verdict, system)
  await stored.close()
}
