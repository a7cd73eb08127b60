import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { faultTargets } from '../../components.ts'
import type { LaunchedSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { prepareOrder } from '../../smoke/print-order.ts'
import { cleanups, runCheck, startStore, startSystem, waitFor } from '../harness.ts'
import {
  PROBE_ACCOUNT,
  PRODUCTION_LIMIT_MS,
  type Probed,
  photoChanges,
  sendProbe,
  startProduction,
} from '../topology/production.ts'
import { areAllReady } from './consistency.ts'
import { injectFaults, resumeFrozen } from './inject.ts'
import {
  checkAnswers,
  compareList,
  compareWithPartner,
  findDuplicates,
  findStaleStatuses,
  isListed,
  type ListedOrder,
} from './order-checks.ts'
import { disturbPartner, killAtSteps } from './order-faults.ts'
import { createOrderClient, type OrderClient, type OrderReport, PLACE, runOrderLoad } from './order-load.ts'
import { type OrderRecords, openOrderRecords, type SandboxControl, sandboxControl } from './order-records.ts'
import { disturbQueues } from './queue-faults.ts'
import { seededRandom } from './random.ts'
import { checkProcessExits, expectEventually, listCounts, readFlags, reportResult, type Verdict } from './runner.ts'

// `npm run check -- faults:orders [--seed N --seconds 60]`: print orders while print-orders is killed at every step of a
// submit, the other processes and servers are killed, Redis loses its data, a media-worker freezes, and the partner sandbox fails in every way that it knows. Then checks
// that the orders at the partner are those in the database. Exits with 1 and prints the details when anything is wrong.
const { seed, ms, isProduction, pooler } = readFlags()

/** So many that the limits of each hardly ever hold up the load. */
const USERS = 15
/** The machine runs all stores three times: their answers are measured, not its load. */
const FEW_USERS = 5
const ADMIN = 'order-admin'
const SETTINGS = {
  REQUESTS_PER_MINUTE: '1000000',
  // Short, so that hanging requests do not fill the run.
  PARTNER_TIMEOUT_MS: '2000',
  PARTNER_REQUESTS_PER_MINUTE: '100000',
}
const SANDBOX_LIMITS = { requestsPerMinute: 1_000_000, couponsPerMinute: 1_000_000 }
/** A user may place 30 orders a minute. */
const ORDER_EVERY_MS = 2_500
const AFFILIATE = 'sandbox-affiliate'
/** After so long every order has reached its last status. */
const LATER = { advanceHours: 72 }
const LISTED = 200
const REFRESH_EVERY_MS = 5_000
const READY_TIMEOUT_MS = 60_000
const DECIDED_TIMEOUT_MS = 60_000
const STATUS_TIMEOUT_MS = 150_000
const MOST_EXTENSION_MS = 240_000

interface Evidence {
  system: LaunchedSystem
  sandbox: SandboxControl
  records: OrderRecords
  clients: OrderClient[]
  admin: SignedInClient
  report: OrderReport
}

async function openAdmin(system: LaunchedSystem): Promise<SignedInClient> {
  const account = { username: ADMIN, password: 'a long enough password', firstName: 'Order', lastName: 'Admin' }
  await openSignedInClient(system.url, account)
  const { env } = await system.state()
  const command = join(root, 'services/auth/src/commands/admin.ts')
  await promisify(execFile)(process.execPath, [command, 'grant', ADMIN], { env: { ...process.env, ...env.auth } })
  // A session has the rights of its sign-in.
  return openSignedInClient(system.url, account)
}

/** Resolves every order that the administrator sees as unknown, as one would who has asked the partner. */
async function resolveUnknown({ records, sandbox, admin }: Evidence): Promise<string> {
  const rows = await records.rows()
  const stored = new Set(rows.map(({ vendorOrderId }) => vendorOrderId))
  const emails = new Map(rows.map(({ id, email }) => [id, email]))
  const free = (await sandbox.orders()).filter(({ vendorOrderId }) => !stored.has(vendorOrderId))
  const unresolved = (await admin.call('GET', '/api/walgreens/unresolved-orders')) as ListedOrder[]
  let placed = 0
  for (const { id } of unresolved) {
    const index = free.findIndex(({ customer }) => customer.email === emails.get(id))
    const [found] = index >= 0 ? free.splice(index, 1) : []
    const body = found ? { vendorOrderId: found.vendorOrderId } : { placed: false }
    await admin.call('POST', `/api/walgreens/orders/${id}/resolve`, body)
    if (found) placed += 1
  }
  return `unknown orders resolved: ${unresolved.length}, of which the partner had ${placed}`
}

/** Lets customers refresh until their orders have the partner's statuses. */
async function checkStatuses(verdict: Verdict, { sandbox, records, clients }: Evidence): Promise<void> {
  await sandbox.call('POST', '/clock', LATER)
  const stale = async () => findStaleStatuses(await sandbox.orders(), await records.rows())
  let refreshedAt = 0
  await expectEventually(verdict, "the statuses are the partner's", STATUS_TIMEOUT_MS, async () => {
    if (Date.now() - refreshedAt > REFRESH_EVERY_MS) {
      refreshedAt = Date.now()
      for (const { session } of clients) await session.call('POST', '/api/walgreens/refresh-order-status', {})
    }
    return (await stale()).length === 0
  })
  verdict.errors.push(...(await stale()))
}

/** Compares what customers see with the rows. */
async function checkLists({ records, clients }: Evidence): Promise<string[]> {
  const rows = (await records.rows()).filter(isListed)
  const checked = clients.map(async ({ name, userId, session }) => {
    const listed = (await session.call('GET', `/api/walgreens/orders?limit=${LISTED}`)) as ListedOrder[]
    const own = rows.filter((row) => row.userId === userId)
    return compareList(name, listed, own.slice(-LISTED))
  })
  return (await Promise.all(checked)).flat()
}

/** Waits until the system has recovered, and checks that no order is lost or doubled. */
async function examine(evidence: Evidence): Promise<Verdict> {
  const { system, sandbox, records, report } = evidence
  const verdict: Verdict = { errors: [...report.errors], facts: [] }
  const { errors, facts } = verdict
  await expectEventually(verdict, 'every service is ready', READY_TIMEOUT_MS, async () =>
    areAllReady(await system.state()),
  )
  await expectEventually(verdict, 'no claim is open', DECIDED_TIMEOUT_MS, async () =>
    (await records.rows()).every(({ status }) => status !== 'claimed'),
  )
  errors.push(...findDuplicates(report.intentions, await sandbox.orders()))
  errors.push(...checkAnswers(report.intentions, await records.rows()))

  facts.push(await resolveUnknown(evidence))
  const undecided = (await records.rows()).filter(({ status }) => status === 'unknown')
  errors.push(...undecided.map(({ id }) => `the administrator did not see the unknown order ${id}`))
  errors.push(...compareWithPartner(await sandbox.orders(), await records.rows()))

  await checkStatuses(verdict, evidence)
  errors.push(...(await checkLists(evidence)))
  await expectEventually(verdict, 'every event is published', READY_TIMEOUT_MS, async () => {
    return (await records.unpublished()) === 0
  })
  checkProcessExits(verdict, system)
  return verdict
}

function describeLoad({ intentions, responses }: OrderReport): string[] {
  const answers = Map.groupBy(
    intentions.flatMap((intention) => intention.answers),
    ({ outcome }) => outcome,
  )
  return [
    `intentions: ${intentions.length}; answers: ${listCounts([...answers].map(([outcome, some]) => [outcome, some.length]))}`,
    `responses: ${listCounts(responses)}`,
  ]
}

/** Accounts, and what is compared afterwards. */
async function prepare(system: LaunchedSystem, users: number): Promise<Omit<Evidence, 'report'>> {
  const state = await system.state()
  const sandbox = sandboxControl(state)
  await sandbox.call('PATCH', `/profiles/${AFFILIATE}`, SANDBOX_LIMITS)
  const clients: OrderClient[] = []
  for (let user = 1; user <= users; user += 1) clients.push(await createOrderClient(system.url, `customer${user}`))
  const admin = await openAdmin(system)
  const records = openOrderRecords(state)
  cleanups.push(() => records.close())
  return { system, sandbox, records, clients, admin }
}

async function checkOrders(folder: string): Promise<void> {
  console.log(`Fault run of orders with seed ${seed}: ${ms / 1000} s`)
  const store = await startStore(folder)
  const system = await startSystem(folder, { ...store.settings, ...SETTINGS })
  cleanups.push(resumeFrozen)
  const { url } = system
  const { env } = await system.state()
  const prepared = await prepare(system, USERS)
  const { sandbox, records, clients } = prepared

  let submitting = Promise.withResolvers<void>()
  const onSubmit = () => {
    submitting.resolve()
    submitting = Promise.withResolvers<void>()
  }
  const isReady = async () => (await fetch(`http://127.0.0.1:${env['print-orders']?.OPS_PORT}/readyz`)).ok
  const untilReady = () => waitFor(READY_TIMEOUT_MS, isReady)
  const context = { system, sandbox, pool: records.pool, nextSubmit: () => submitting.promise, untilReady }
  const targets = {
    services: faultTargets('orders').filter((name) => name !== 'print-orders'),
    servers: ['postgres', 'redis', 'nats', 'objects'],
    pauseFactor: 2,
  }
  const end = Date.now() + ms
  let areInjected = false
  // Every step is to be hit, which takes longer than planned on a busy machine.
  const isRunning = () => Date.now() < end || (!areInjected && Date.now() < end + MOST_EXTENSION_MS)
  const disturbing = disturbPartner(sandbox, seededRandom(seed + 2), isRunning)
  const injected = Promise.all([
    killAtSteps(context, seededRandom(seed + 3), () => Date.now() < end),
    injectFaults(system, store, targets, { seed, ms }),
    disturbQueues(system, { seed, ms }),
  ]).finally(() => {
    areInjected = true
  })
  // Errors are thrown where they are awaited.
  for (const work of [disturbing, injected]) work.catch(() => {})
  const report = await runOrderLoad({ url, seed, clients, isRunning, onSubmit })
  console.log('The load has ended.')
  const [hits, faults] = await injected
  await disturbing
  const missed = [...hits].filter(([, count]) => count === 0)
  report.errors.push(...missed.map(([step]) => `print-orders was never hit ${step}`))

  const plan = [`seed ${seed}, ${faults} faults of servers and workers`, `print-orders: ${listCounts(hits)}`]
  await judge({ ...prepared, report }, plan)
}

async function checkOrdersInProduction(folder: string): Promise<void> {
  console.log(`Fault run of orders with stores as in production with seed ${seed}`)
  const { system, probed, inject } = await startProduction(folder, { run: 'orders', seed, pooler }, SETTINGS)
  const { url } = system
  const prepared = await prepare(system, FEW_USERS)
  const probe = await createOrderClient(url, PROBE_ACCOUNT.username)
  const order = await prepareOrder(probed.owner.call, { photoId: probe.photoIds[0] ?? 0, ...PLACE })
  let count = 0
  const placeOrder = async (_: Probed, signal: AbortSignal) => {
    count += 1
    const key = `probe-${seed}-${count}`
    const headers = {
      cookie: probed.owner.cookie,
      origin: url,
      'content-type': 'application/json',
      'idempotency-key': key,
    }
    const body = JSON.stringify({ ...order, email: `${key}@example.com` })
    await sendProbe(`${url}/api/walgreens/submit-order`, { method: 'POST', headers, body, signal })
  }
  const { injected, isRunning } = inject(photoChanges, { send: placeOrder, everyMs: ORDER_EVERY_MS })
  const report = await runOrderLoad({ url, seed, clients: prepared.clients, isRunning, onSubmit: () => {} })
  console.log('The load has ended.')
  report.errors.push(...(await injected))
  await judge({ ...prepared, clients: [...prepared.clients, probe], report }, [`seed ${seed}`])
}

async function judge(evidence: Evidence, plan: string[]): Promise<void> {
  const verdict = await examine(evidence)
  reportResult(verdict, [...plan, ...describeLoad(evidence.report)], 'No order is lost or doubled.')
}

if (isProduction) await runCheck(PRODUCTION_LIMIT_MS, checkOrdersInProduction)
else await runCheck(ms + 900_000, checkOrders)
