import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
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

/** Removes the folders of runs that were killed, with the file systems that they mounted there. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX) || belongsToRunningProcess(name)) continue
    const folder = join(tmpdir(), name)
    for (const path of await mountsBelow(folder)) execFileSync('umount', ['--lazy', path])
    await removeDirectory(folder)
  }
}

async function mountsBelow(folder: string): Promise<string[]> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  const paths = mounts.split('\n').map((line) => line.split(' ')[1] ?? '')
  return paths.filter((path) => path.startsWith(`${folder}/`))
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
