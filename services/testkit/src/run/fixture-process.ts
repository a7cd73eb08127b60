import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A script of a test in a process of its own, which the test may kill. */
export interface FixtureProcess {
  process: ChildProcess
  /** Resolves with the signal that ended it, or null. */
  ended: Promise<NodeJS.Signals | null>
  /** Resolves when it prints this line. */
  printed(line: string): Promise<void>
}

/** Runs a script with Node; its standard error is inherited. */
export function runFixture(script: URL, args: string[]): FixtureProcess {
  const child = spawn(process.execPath, [script.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  return {
    process: child,
    ended: new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal))),
    printed: (wanted) => new Promise((resolve) => lines.on('line', (line) => line === wanted && resolve())),
  }
}
