import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { LaunchedSystem } from '../../local/launch.ts'
import { isAlive } from '../../local/runtime-file.ts'
import type { Store } from '../harness.ts'
import type { Fault } from './fault-plan.ts'

/** Returns a process and its children: PostgreSQL has one process per connection. */
async function processTree(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return [pid, ...pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))]
}

function signalAll(pids: number[], signal: NodeJS.Signals): void {
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
export function resumeFrozen(): void {
  signalAll([...frozenPids], 'SIGCONT')
}

/** Freezes a process and its children for the given time. */
async function freeze(pid: number, ms: number): Promise<void> {
  const pids = await processTree(pid)
  for (const one of pids) frozenPids.add(one)
  signalAll(pids, 'SIGSTOP')
  await delay(ms)
  for (const one of pids) frozenPids.delete(one)
}

/** Kills a process of the system and its children; false if it did not run. */
export async function killProcess(system: LaunchedSystem, name: string): Promise<boolean> {
  const pid = await pidOf(system, name)
  if (pid === null) return false
  signalAll(await processTree(pid), 'SIGKILL')
  return true
}

/** Freezes a process of the system and its children, and resumes them; false if it did not run. */
export async function freezeProcess(system: LaunchedSystem, name: string, ms: number): Promise<boolean> {
  const pid = await pidOf(system, name)
  if (pid === null) return false
  await freeze(pid, ms)
  signalAll(await processTree(pid), 'SIGCONT')
  return true
}

/** Injects one fault. Resolves after the kill and, for the object store, the restart; false if the process did not run. */
export async function injectFault(system: LaunchedSystem, objects: Store | null, fault: Fault): Promise<boolean> {
  const isStore = fault.target === 'objects'
  const pid = isStore ? (objects?.pid() ?? null) : await pidOf(system, fault.target)
  if (pid === null) return false
  if (fault.frozenMs > 0) await freeze(pid, fault.frozenMs)
  signalAll(await processTree(pid), 'SIGKILL')
  if (!isStore) return true
  await delay(fault.downMs)
  await objects?.restart()
  return true
}
