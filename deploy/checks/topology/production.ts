import { setTimeout as delay } from 'node:timers/promises'
import type { FaultRun } from '../../components.ts'
import type { LaunchedSystem } from '../../local/launch.ts'
import type { SignedInClient } from '../../local/signed-in-client.ts'
import { listCounts } from '../faults/runner.ts'
import { startSystem } from '../harness.ts'
import { type SeededFolder, seedFolders } from '../load/seed-folders.ts'
import { requireFaketime } from './clock.ts'
import { type Bounds, chooseClock, type Incident, injectTopologyFaults } from './faults.ts'
import { failuresWithin, type Period, type Probe, recoveryTime, startProbe } from './probes.ts'
import { startTopology } from './topology.ts'

/** What a probe of writes may use, and nobody else changes. */
export interface Probed {
  url: string
  owner: SignedInClient
  folder: SeededFolder
}

export interface Write {
  /** 250 by default. */
  everyMs?: number
  /** @throws Error unless it was acknowledged */
  send(probed: Probed, signal: AbortSignal): Promise<void>
}

/** Of a run; its faults take about five minutes. */
export const PRODUCTION_LIMIT_MS = 1_500_000
export const PROBE_ACCOUNT = { username: 'probe', password: 'a long enough password' }
const PHOTOS = 10
const PROBE_EVERY_MS = 250
/** Half of what a fault may cost; a busy machine is no fault. */
const WRITE_DEADLINE_MS = 5_000
const SHARE_DEADLINE_MS = 2_000
const NO_LIMITS = { REQUESTS_PER_MINUTE: '1000000' }

export interface Production {
  system: LaunchedSystem
  /** The account of the probes. */
  probed: Probed
  /** Injects all faults, while the writes are probed and share pages opened; prints the times, and resolves with errors. */
  inject(...writes: Write[]): { injected: Promise<string[]>; isRunning(): boolean }
}

const KINDS = ['writes', 'shares'] as const
type Probes = Record<keyof Bounds, Probe[]>

/** Starts a system with the stores of a production. */
export async function startProduction(
  folder: string,
  { run, seed, pooler }: { run: FaultRun; seed: number; pooler: boolean },
  settings: Record<string, string>,
): Promise<Production> {
  const { component, node } = chooseClock(run, seed)
  console.log('Starting the stores …')
  const topology = await startTopology(folder, { pooler, clockOf: node })
  const componentEnv: Record<string, string> = component
    ? { SKYFOLIO_COMPONENT_ENV: JSON.stringify({ [component]: topology.clock.env }) }
    : {}
  const system = await startSystem(folder, { ...NO_LIMITS, ...settings, ...topology.settings, ...componentEnv })
  const { processes } = await system.state()
  const clockNode = Object.values(topology.stores)
    .flatMap(({ nodes }) => nodes)
    .find(({ name }) => name === node)
  const clockPids = await (clockNode?.pids() ??
    processes.filter(({ name }) => name === component).map(({ pid }) => pid))
  await requireFaketime(clockPids)
  const { owner, folders } = await seedFolders(system.url, PROBE_ACCOUNT, { folders: 1, photos: PHOTOS })
  const probed = { url: system.url, owner, folder: folders[0] as SeededFolder }

  async function injectAll(writes: Write[]): Promise<string[]> {
    const before = await system.state()
    const probes: Probes = {
      writes: writes.map(({ everyMs = PROBE_EVERY_MS, send }) =>
        startProbe({ everyMs, deadlineMs: WRITE_DEADLINE_MS }, (signal) => send(probed, signal)),
      ),
      shares: [
        startProbe({ everyMs: PROBE_EVERY_MS, deadlineMs: SHARE_DEADLINE_MS }, (signal) => openShare(probed, signal)),
      ],
    }
    const incidents: Incident[] = []
    const errors: string[] = []
    await injectTopologyFaults(topology, run, seed, incidents).catch((error: Error) => errors.push(error.message))
    // A last request has its answer by then.
    await delay(WRITE_DEADLINE_MS + PROBE_EVERY_MS)
    for (const probe of Object.values(probes).flat()) probe.stop()
    errors.push(...report(incidents, probes), ...(await findRestarts(system, before.processes)))
    return errors
  }
  return {
    system,
    probed,
    inject(...writes) {
      let isOver = false
      const injected = injectAll(writes).finally(() => {
        isOver = true
      })
      // Errors are thrown where it is awaited.
      injected.catch(() => {})
      return { injected, isRunning: () => !isOver }
    },
  }
}

/**
 * A photo is hidden or shown. Changes of one owner follow one another, also those that were given up: four a second would be
 * more than a busy machine catches up with after an outage.
 */
export const photoChanges: Write = { everyMs: 1_000, send: changePhoto }
let changes = 0

async function changePhoto({ url, owner, folder }: Probed, signal: AbortSignal): Promise<void> {
  const headers = { cookie: owner.cookie, origin: url, 'content-type': 'application/json' }
  // Not the first, which is voted for; all others in turn, as changes of one wait for each other.
  const [, ...photos] = folder.photos
  const photo = photos[changes % photos.length]
  const body = JSON.stringify({ isPublic: Math.floor(changes / photos.length) % 2 === 1 })
  changes += 1
  await sendProbe(`${url}/api/photos/${photo}/privacy`, { method: 'PATCH', headers, body, signal })
}

/** The page and its data, as somebody opens it who has the link. */
async function openShare({ url, folder: { code } }: Probed, signal: AbortSignal): Promise<void> {
  await Promise.all([`/share/${code}`, `/api/share/${code}`].map((path) => sendProbe(`${url}${path}`, { signal })))
}

/** Returns the response. @throws Error unless it is a success */
export async function sendProbe(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 60)}`)
  return text
}

/** Prints a row for each incident. Returns an error for each time that was too long. */
function report(incidents: Incident[], probes: Probes): string[] {
  const errors: string[] = []
  console.log('\n| what happened | writes | share pages |\n| --- | ---: | ---: |')
  for (const { what, from, until, bounds } of incidents) {
    const cells = KINDS.map((kind) => measure(`${what}: ${kind}`, { from, until }, bounds[kind], probes[kind], errors))
    console.log(`| ${[what, ...cells].join(' | ')} |`)
  }
  return errors
}

/** Returns the seconds until all requests of a kind were answered again. */
function measure(what: string, period: Period, bound: number, probes: Probe[], errors: string[]): string {
  const times = probes.map(({ samples }) => recoveryTime(samples, period) ?? Number.POSITIVE_INFINITY)
  const longest = Math.max(...times)
  if (longest > bound) {
    const failures = probes.flatMap(({ samples }) => failuresWithin(samples, period))
    const reasons = Map.groupBy(failures, ({ failure }) => failure ?? '')
    const counts = listCounts([...reasons].map(([reason, some]) => [reason, some.length]))
    errors.push(`${what} after ${inSeconds(longest)} instead of ${inSeconds(bound)} s: ${counts}`)
  }
  return longest === 0 ? '0' : inSeconds(longest)
}

const inSeconds = (ms: number) => (ms / 1000).toFixed(1)

/** Nothing of Skyfolio ended, by itself or otherwise. */
async function findRestarts(system: LaunchedSystem, before: { name: string; pid: number }[]): Promise<string[]> {
  const after = new Map((await system.state()).processes.map(({ name, pid }) => [name, pid]))
  const restarted = before.filter(({ name, pid }) => after.get(name) !== pid).map(({ name }) => name)
  return [
    ...restarted.map((name) => `${name} was started again`),
    ...system.lines.filter((line) => / ended \(/.test(line)),
  ]
}
