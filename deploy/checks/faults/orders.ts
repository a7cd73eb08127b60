import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { faultTargets } from '../../components.ts'
import type { LaunchedSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { cleanups, runCheck, startStore, startSystem, waitFor } from '../harness.ts'
import { areAllReady } from './consistency.ts'
import { planFaults } from './fault-plan.ts'
import { resumeFrozen } from './inject.ts'
import {
  checkAnswers,
  checkEvents,
  compareList,
  compareWithPartner,
  findDisorder,
  findDuplicates,
  findStaleStatuses,
  type ListedOrder,
} from './order-checks.ts'
import { createOrderClient, type OrderClient } from './order-client.ts'
import { disturbPartner, killAtSteps, planSandboxFaults, planSteps, STEPS, type Step } from './order-faults.ts'
import { runOrderLoad } from './order-load.ts'
import { type OrderRecords, openOrderRecords } from './order-records.ts'
import type { OrderReport } from './order-report.ts'
import { seededRandom } from './random.ts'
import { checkProcessExits, expectEventually, injectFaults, reportResult, type Verdict } from './runner.ts'
import { type SandboxControl, sandboxControl } from './sandbox-control.ts'

// `npm run check -- faults:orders [--seed N --seconds 60]`: print orders while print-orders is killed at every step of a
// submit, the other processes and servers are killed, and the partner sandbox fails in every way that it knows. Then checks
// that the orders at the partner are those in the database. Exits with 1 and prints the details when anything is wrong.
const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '60' },
  },
})
const seed = Number(flags.seed)
const ms = Number(flags.seconds) * 1000

/** So many that the limits of each hardly ever hold up the load. */
const USERS = 15
const PHOTOS_PER_USER = 2
const ADMIN = 'order-admin'
const SETTINGS = {
  REQUESTS_PER_MINUTE: '1000000',
  // Short, so that hanging requests do not fill the run.
  PARTNER_TIMEOUT_MS: '2000',
  PARTNER_REQUESTS_PER_MINUTE: '100000',
}
const SANDBOX_LIMITS = { requestsPerMinute: 1_000_000, couponsPerMinute: 1_000_000 }
const AFFILIATE = 'sandbox-affiliate'
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

/** Compares what users and administrators see with the rows. */
async function checkLists({ records, clients, admin }: Evidence): Promise<string[]> {
  const rows = (await records.rows()).filter(({ status }) => status !== 'claimed' && status !== 'rejected')
  const errors: string[] = []
  for (const { name, userId, call } of clients) {
    const listed = (await call('GET', '/api/walgreens/orders?limit=200')) as ListedOrder[]
    const own = rows.filter((row) => row.userId === userId)
    errors.push(...compareList(name, listed, own.length > listed.length ? own.slice(-listed.length) : own))
  }
  const unresolved = (await admin.call('GET', '/api/walgreens/unresolved-orders')) as ListedOrder[]
  const unknown = rows.filter(({ status }) => status === 'unknown')
  errors.push(...compareList('the administrator', unresolved, unknown))
  return errors
}

/** Resolves every unknown order as an administrator would who has asked the partner. */
async function resolveUnknown({ records, sandbox, admin }: Evidence): Promise<string[]> {
  const rows = await records.rows()
  const stored = new Set(rows.map(({ vendorOrderId }) => vendorOrderId))
  const free = (await sandbox.orders()).filter(({ vendorOrderId }) => !stored.has(vendorOrderId))
  const facts: string[] = []
  for (const { id, email } of rows.filter(({ status }) => status === 'unknown')) {
    const index = free.findIndex(({ customer }) => customer.email === email)
    const [found] = index >= 0 ? free.splice(index, 1) : []
    const body = found ? { vendorOrderId: found.vendorOrderId } : { placed: false }
    await admin.call('POST', `/api/walgreens/orders/${id}/resolve`, body)
    facts.push(found ? 'placed' : 'not placed')
  }
  const placed = facts.filter((fact) => fact === 'placed').length
  return [`unknown orders resolved: ${facts.length}, of which the partner had ${placed}`]
}

/** Waits until the system has recovered, and checks that no order is lost or doubled. */
async function examine(evidence: Evidence): Promise<Verdict> {
  const { system, sandbox, records, clients, report } = evidence
  const verdict: Verdict = { errors: [...report.errors], facts: [] }
  const { errors, facts } = verdict
  const wait = (what: string, withinMs: number, done: () => Promise<boolean>) =>
    expectEventually(verdict, what, withinMs, done)
  await wait('every service is ready', READY_TIMEOUT_MS, async () => areAllReady(await system.state()))
  await wait('no claim is open', DECIDED_TIMEOUT_MS, async () =>
    (await records.rows()).every(({ status }) => status !== 'claimed'),
  )
  errors.push(...compareWithPartner(await sandbox.orders(), await records.rows()))
  errors.push(...findDuplicates(report.intentions, await sandbox.orders()))
  errors.push(...checkAnswers(report.intentions, await records.rows()))
  errors.push(...(await checkLists(evidence)))

  facts.push(...(await resolveUnknown(evidence)))
  const orders = await sandbox.orders()
  const numbers = new Set((await records.rows()).map(({ vendorOrderId }) => vendorOrderId))
  const missing = orders.filter(({ vendorOrderId }) => !numbers.has(vendorOrderId))
  errors.push(...missing.map(({ vendorOrderId }) => `after resolving no row has the partner's order ${vendorOrderId}`))

  for (const hours of [2, 72]) {
    await sandbox.advance(hours)
    const refreshed = { at: 0 }
    await wait(`the statuses are the partner's ${hours} hours later`, STATUS_TIMEOUT_MS, async () => {
      if (Date.now() - refreshed.at > 5_000) {
        refreshed.at = Date.now()
        for (const { post } of clients) await post('/api/walgreens/refresh-order-status', {})
      }
      return findStaleStatuses(await sandbox.orders(), await records.rows()).length === 0
    })
    errors.push(...findStaleStatuses(await sandbox.orders(), await records.rows()))
  }

  await wait('every event is published', READY_TIMEOUT_MS, async () => (await records.unpublished()) === 0)
  errors.push(...findDisorder(await records.committedChanges()))
  errors.push(...checkEvents(await records.events(), await records.rows()))
  errors.push(...(await checkLists(evidence)))
  checkProcessExits(verdict, system)
  return verdict
}

function describeLoad({ intentions, responses }: OrderReport, hits: Map<Step, number>): string[] {
  const answers = intentions.flatMap((intention) => intention.answers)
  const count = (outcome: string) => answers.filter((answer) => answer.outcome === outcome).length
  return [
    `intentions: ${intentions.length}; answers: ${count('accepted')} accepted, ${count('unknown')} unknown, ${count('refused')} refused, ${count('changed')} with other figures`,
    `responses: ${[...responses].map(([response, times]) => `${times} × ${response}`).join(', ')}`,
    `killed: ${STEPS.map((step) => `${hits.get(step) ?? 0} × ${step}`).join('; ')}`,
  ]
}

await runCheck(ms + 900_000, async (folder) => {
  console.log(`Fault run of orders with seed ${seed}: ${flags.seconds} s`)
  const store = await startStore(folder)
  const system = await startSystem(folder, { ...store.settings, ...SETTINGS })
  cleanups.push(async () => resumeFrozen())
  const { partnerSandbox } = await system.state()
  const sandbox = sandboxControl(partnerSandbox?.controlUrl ?? '', partnerSandbox?.controlKey ?? '')
  await sandbox.changeProfile(AFFILIATE, SANDBOX_LIMITS)

  const clients: OrderClient[] = []
  for (let user = 1; user <= USERS; user += 1)
    clients.push(await createOrderClient(system.url, `customer${user}`, PHOTOS_PER_USER))
  const admin = await openAdmin(system)
  const records = openOrderRecords(await system.state())
  cleanups.push(() => records.close())

  const random = seededRandom(seed)
  const services = faultTargets('orders').filter((name) => name !== 'print-orders')
  const faults = planFaults(random, ms, { services, servers: ['postgres', 'redis', 'nats', 'objects'], pauseFactor: 2 })
  const steps = planSteps(random, ms)
  const sandboxFaults = planSandboxFaults(random, ms)
  let submitting = Promise.withResolvers<void>()
  const onSubmit = () => {
    submitting.resolve()
    submitting = Promise.withResolvers<void>()
  }
  const { env } = await system.state()
  const isReady = async () => (await fetch(`http://127.0.0.1:${env['print-orders']?.OPS_PORT}/readyz`)).ok
  const untilReady = () => waitFor(READY_TIMEOUT_MS, isReady)
  const context = { system, sandbox, pool: records.pool, nextSubmit: () => submitting.promise, untilReady }
  const end = Date.now() + ms
  let areInjected = false
  // On a busy machine the steps take longer than planned.
  const isRunning = () => Date.now() < end || (!areInjected && Date.now() < end + MOST_EXTENSION_MS)
  const disturbing = disturbPartner(sandbox, sandboxFaults, isRunning)
  const injected = Promise.all([killAtSteps(context, steps), injectFaults(system, store, faults)]).finally(() => {
    areInjected = true
  })
  // Errors are thrown where they are awaited.
  for (const work of [disturbing, injected]) work.catch(() => {})
  const report = await runOrderLoad({ seed, clients, isRunning, onSubmit })
  console.log('The load has ended.')
  const [hits] = await injected
  await disturbing
  await sandbox.clearFaults()
  const missed = new Set(steps.map(({ step }) => step).filter((step) => !hits.has(step)))
  report.errors.push(...[...missed].map((step) => `print-orders was never killed ${step}`))

  const verdict = await examine({ system, sandbox, records, clients, admin, report })
  const planned = `${faults.length} faults of servers and workers, ${steps.length} kills at a step`
  const summary = [
    `seed ${seed}, ${planned}, ${sandboxFaults.length} faults of the partner`,
    ...describeLoad(report, hits),
  ]
  reportResult(verdict, summary, 'No order is lost or doubled.')
})
