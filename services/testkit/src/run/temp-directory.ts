import { chmodSync, mkdirSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'skyfolio-test-'
const VARIABLE = 'SKYFOLIO_TEST_FOLDER'

/** The folder of this test run, for data of servers and files; it is removed when the run ends. */
export function testDirectory(): string {
  const folder = process.env[VARIABLE] ?? join(tmpdir(), `${PREFIX}${process.pid}`)
  process.env[VARIABLE] = folder
  mkdirSync(folder, { recursive: true })
  // PostgreSQL runs as another user when the tests are run by root.
  chmodSync(folder, 0o755)
  return folder
}

/** Removes the folders of runs that were killed. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (name.startsWith(PREFIX) && !belongsToRunningProcess(name)) await removeDirectory(join(tmpdir(), name))
  }
}

/** Whether the test run with a folder of this name is still running. */
export function belongsToRunningProcess(name: string): boolean {
  const pid = Number(name.slice(PREFIX.length))
  return !(pid > 0) || isRunning(pid)
}

/** Removes a folder whose servers may be stopping. */
export function removeDirectory(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
