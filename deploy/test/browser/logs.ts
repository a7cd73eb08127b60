import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../local/paths.ts'

/** What the systems of this run logged, kept until the next run. */
const LOGS_DIRECTORY = join(root, '.data/test-results/browser-logs')

interface KeptLogs {
  text: string
  /** Values that must not appear in the logs. */
  secrets: string[]
}

/** Keeps the logs of a system that is about to be removed, or only what must not appear in those of one that still runs. */
export async function keepLogs(secrets: string[], dataDir?: string): Promise<void> {
  const kept: KeptLogs = { text: dataDir ? await readLogs(dataDir) : '', secrets }
  await mkdir(LOGS_DIRECTORY, { recursive: true })
  await writeFile(join(LOGS_DIRECTORY, `${randomUUID()}.json`), JSON.stringify(kept))
}

/** The logs of the processes and servers of a system. */
export async function readLogs(dataDir: string): Promise<string> {
  const files = (await readdir(dataDir)).filter((name) => name.endsWith('.log'))
  return (await Promise.all(files.map((name) => readFile(join(dataDir, name), 'utf8')))).join('\n')
}

export async function readKeptLogs(): Promise<KeptLogs[]> {
  const files = await readdir(LOGS_DIRECTORY).catch(() => [])
  return Promise.all(files.map(async (name) => JSON.parse(await readFile(join(LOGS_DIRECTORY, name), 'utf8'))))
}

export async function removeKeptLogs(): Promise<void> {
  await rm(LOGS_DIRECTORY, { recursive: true, force: true })
}
