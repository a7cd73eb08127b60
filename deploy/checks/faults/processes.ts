import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type RunningServer, startMinio } from '@skyfolio/testkit/servers'
import type { LaunchedSystem } from '../../local/launch.ts'
import { isAlive } from '../../local/state.ts'
import type { Fault } from './plan.ts'

/** An object store of this run, which starts it again itself: the system's runner knows nothing of it. */
export interface ObjectServer {
  pid(): number
  /** Starts it again after it was killed. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startObjectServer(dataDir: string, port: number): Promise<ObjectServer> {
  let running: RunningServer = await startMinio({ dataDir, port })
  return {
    pid: () => running.pid,
    async restart() {
      await running.exited
      running = await startMinio({ dataDir, port })
    },
    stop: () => running.stop(),
  }
}

/** A process and its children: PostgreSQL serves each connection by a process of its own. */
async function family(pid: number): Promise<number[]> {
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

const frozen = new Set<number>()

/** Lets go on what is frozen at this moment, so that it can be ended in order when a run is broken off. */
export function thaw(): void {
  signalAll([...frozen], 'SIGCONT')
}

/** Freezes a process and its children for a while. */
async function freeze(pid: number, ms: number): Promise<void> {
  const pids = await family(pid)
  for (const one of pids) frozen.add(one)
  signalAll(pids, 'SIGSTOP')
  await delay(ms)
  for (const one of pids) frozen.delete(one)
}

/** Does one fault; resolves when the process was killed and, for the object store, is back. False when it did not run. */
export async function inject(system: LaunchedSystem, objects: ObjectServer | null, fault: Fault): Promise<boolean> {
  const isStore = fault.target === 'objects'
  const pid = isStore ? (objects?.pid() ?? null) : await pidOf(system, fault.target)
  if (pid === null) return false
  if (fault.frozen > 0) await freeze(pid, fault.frozen)
  signalAll(await family(pid), 'SIGKILL')
  if (!isStore) return true
  await delay(fault.away)
  await objects?.restart()
  return true
}
