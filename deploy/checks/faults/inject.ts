import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { LaunchedSystem } from '../../local/launch.ts'
import { isAlive } from '../../local/runtime-file.ts'
import type { Store } from '../harness.ts'
import { between, type Random, seededRandom, shuffled } from './random.ts'

/** Services are killed at once; servers may be frozen first. One of each kind is down at a time. */
export interface FaultTargets {
  services: string[]
  servers: string[]
  /** Multiplies the pauses, for targets on which every request depends. */
  pauseFactor?: number
}

/** No fault is injected at the end of the load, so that some of it runs against a recovering system. */
const QUIET_END_MS = 4_000

/** Injects faults at times that the seed determines, for so many milliseconds. Resolves with their number after the last one. */
export async function injectFaults(
  system: LaunchedSystem,
  objects: Store | null,
  { services, servers, pauseFactor = 1 }: FaultTargets,
  { seed, ms }: { seed: number; ms: number },
): Promise<number> {
  const start = Date.now()
  let count = 0

  /** Hits every target once before one is hit again. */
  async function injectInto(targets: string[], longestPauseMs: number, mostFrozenMs: number, random: Random) {
    await delay(between(random, 1_000, 4_000))
    for (;;) {
      for (const target of shuffled(random, targets)) {
        const atMs = Date.now() - start
        if (atMs > ms - QUIET_END_MS) return
        // Some servers fail at once, as with a power cut; others first stop responding.
        const frozenMs = random() < 0.3 ? 0 : between(random, 0, mostFrozenMs)
        count += 1
        const isHit = await killTarget(system, objects, target, frozenMs, between(random, 200, 3_000))
        const what = frozenMs > 0 ? `frozen for ${inSeconds(frozenMs)} s, then killed` : 'killed'
        console.log(`${inSeconds(atMs).padStart(5)} s  ${target} ${isHit ? what : 'was already down'}`)
        await delay(between(random, longestPauseMs / 4, longestPauseMs))
      }
    }
  }

  await Promise.all([
    injectInto(services, 10_000 * pauseFactor, 0, seededRandom(seed)),
    injectInto(servers, 7_000 * pauseFactor, 4_000, seededRandom(seed + 1_000)),
  ])
  return count
}

export const inSeconds = (ms: number) => (ms / 1000).toFixed(1)

/** Kills a target; the object store, which no supervisor restarts, stays down for a while. False if it did not run. */
async function killTarget(
  system: LaunchedSystem,
  objects: Store | null,
  target: string,
  frozenMs: number,
  downMs: number,
): Promise<boolean> {
  const isStore = target === 'objects' && objects !== null
  const pid = isStore ? objects.pid() : await pidOf(system, target)
  if (pid === null) return false
  if (frozenMs > 0) await freeze(pid, frozenMs)
  signalAll(await processTree([pid]), 'SIGKILL')
  if (isStore) {
    await delay(downMs)
    await objects.restart()
  }
  return true
}

/** Returns processes and all that they have started: PostgreSQL has one process per connection. */
export async function processTree(pids: number[]): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const tree = new Set(pids)
  for (const pid of tree) for (const [child = 0, parent] of pairs) if (parent === pid) tree.add(child)
  return [...tree]
}

export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

async function pidOf(system: LaunchedSystem, name: string): Promise<number | null> {
  const { processes } = await system.state()
  const mark = processes.find((candidate) => candidate.name === name)
  return mark && (await isAlive(mark)) ? mark.pid : null
}

const frozenPids = new Set<number>()

/** Resumes all frozen processes, so that they can shut down when a run is aborted. */
export async function resumeFrozen(): Promise<void> {
  signalAll([...frozenPids], 'SIGCONT')
}

/** Freezes a process and its children for the given time. */
async function freeze(pid: number, ms: number): Promise<void> {
  const pids = await processTree([pid])
  for (const one of pids) frozenPids.add(one)
  signalAll(pids, 'SIGSTOP')
  await delay(ms)
  for (const one of pids) frozenPids.delete(one)
}

/** Kills a process of the system and its children; false if it did not run. */
export function killProcess(system: LaunchedSystem, name: string): Promise<boolean> {
  return killTarget(system, null, name, 0, 0)
}

/** Freezes a process of the system and its children, and resumes them; false if it did not run. */
export async function freezeProcess(system: LaunchedSystem, name: string, ms: number): Promise<boolean> {
  const pid = await pidOf(system, name)
  if (pid === null) return false
  await freeze(pid, ms)
  signalAll(await processTree([pid]), 'SIGCONT')
  return true
}
