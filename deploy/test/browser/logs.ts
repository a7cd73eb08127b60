import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { root } from '../../local/paths.ts'

/** The logs of this run's systems, one file per system, kept until the next run. */
const LOGS_DIRECTORY = join(root, '.data/test-results/browser-logs')

interface KeptLogs {
  text: string
  /** Values that must not appear in the logs. */
  secrets: string[]
}

/** Keeps the logs of a system's processes and servers. */
export async function keepLogs(dataDir: string, lines: string[], secrets: string[]): Promise<void> {
  const files = (await readdir(dataDir)).filter((name) => name.endsWith('.log'))
  const logs = await Promise.all(files.map((name) => readFile(join(dataDir, name), 'utf8')))
  const kept: KeptLogs = { text: [...lines, ...logs].join('\n'), secrets }
  await mkdir(LOGS_DIRECTORY, { recursive: true })
  await writeFile(join(LOGS_DIRECTORY, `${basename(dataDir)}.json`), JSON.stringify(kept))
}

export async function readKeptLogs(): Promise<KeptLogs[]> {
  const files = await readdir(LOGS_DIRECTORY).catch(() => [])
  return Promise.all(files.map(async (name) => JSON.parse(await readFile(join(LOGS_DIRECTORY, name), 'utf8'))))
}

/** Global set-up of a run. A second attempt adds to the logs of the first one. */
export default async function removeKeptLogs(): Promise<void> {
  if (process.env.SECOND_ATTEMPT) return
  await rm(LOGS_DIRECTORY, { recursive: true, force: true })
}
