// `npm run check -- attack [--short] [--url http://127.0.0.1:8080 [--proxied]] [--only <text>]`: attacks a running system, at most
// ten minutes. Without `--url` it starts systems of its own: one as `npm start` does, and one that trusts a proxy, as one of compose
// behind TLS, with the short form. `--short` leaves out what takes long and the second system. `--only` runs the attacks whose name contains the text.
// Prints one line for each attack, and exits with 1 if one succeeded.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cleanUp, cleanups, limitRun } from '../checks/harness.ts'
import { removeReport, reportChecks } from '../checks/load/run-k6.ts'
import { checkTarget } from '../checks/load/target.ts'
import { launchSystem } from '../local/launch.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './attacks.ts'
import { openTarget, type Target, type TargetOptions } from './target.ts'

const { values: flags } = parseArgs({
  options: {
    url: { type: 'string' },
    proxied: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})
const REPORT = 'attack'
const ATTACK_TIMEOUT_MS = 90_000
limitRun(600_000)

function endpointOf(url: string, proxied: boolean): TargetOptions['endpoint'] {
  const { hostname, port, origin } = new URL(url)
  return { origin, host: hostname, port: Number(port || 80), proxied }
}

/** Starts a system as `npm start` does. Behind a proxy the attackers' addresses are those in X-Forwarded-For. */
async function startTarget(proxied: boolean): Promise<Target> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-attack-'))
  // PostgreSQL runs as another user and must be able to enter.
  await chmod(dataDir, 0o711)
  cleanups.push(() => rm(dataDir, { recursive: true, maxRetries: 10, retryDelay: 100 }))
  const system = await launchSystem(join(dataDir, 'system'), proxied ? { TRUSTED_PROXIES: '127.0.0.1' } : {})
  cleanups.push(() => system.stop())
  const { mailbox } = await system.state()
  return openTarget({
    endpoint: endpointOf(system.url, proxied),
    output: system.lines,
    ...(mailbox && { mailbox }),
    short: flags.short || proxied,
  })
}

async function attackAll(target: Target, what: string): Promise<Record<string, boolean>> {
  const checks: Record<string, boolean> = {}
  for (const attack of ATTACKS) {
    if ((attack.long && target.short) || !attack.name.includes(flags.only)) continue
    const start = performance.now()
    const { notes, faults } = await runOne(attack, target)
    const seconds = ((performance.now() - start) / 1_000).toFixed(1)
    const check = `${what}: ${attack.name}`
    checks[check] = faults.length === 0
    console.log(`${faults.length === 0 ? 'held  ' : 'FAILED'}  ${check} (${seconds} s)`)
    for (const line of [...notes, ...faults.slice(0, 10)]) console.log(`        ${line}`)
  }
  return checks
}

/** Returns when nothing of the attack runs any more. */
async function runOne(attack: Attack, target: Target): Promise<{ notes: string[]; faults: string[] }> {
  const notes: string[] = []
  const faults: string[] = []
  const stop = target.beginAttack()
  const timer = setTimeout(() => {
    faults.push(`it was stopped: not done within ${ATTACK_TIMEOUT_MS / 1000} s`)
    stop()
  }, ATTACK_TIMEOUT_MS)
  try {
    await attack.run(
      target,
      (holds, fault) => holds || faults.push(fault),
      (text) => notes.push(text),
    )
  } catch (error) {
    faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    clearTimeout(timer)
    stop()
  }
  return { notes, faults }
}

async function main(): Promise<Record<string, boolean>> {
  if (flags.url) {
    const url = checkTarget(flags.url, undefined)
    const target = await openTarget({ endpoint: endpointOf(url, flags.proxied), short: flags.short })
    cleanups.push(() => target.close())
    return attackAll(target, flags.proxied ? 'proxied' : 'direct')
  }
  const checks: Record<string, boolean> = {}
  for (const proxied of flags.short ? [false] : [false, true]) {
    console.log(proxied ? '\nBehind a proxy\n' : '\nAs started by npm start\n')
    Object.assign(checks, await attackAll(await startTarget(proxied), proxied ? 'proxied' : 'direct'))
    // Before the next one starts.
    for (const end of cleanups.splice(0).reverse()) await end()
  }
  return checks
}

await removeReport(REPORT)
try {
  await reportChecks(REPORT, await main())
} finally {
  await cleanUp()
}
