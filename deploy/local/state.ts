import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { dataDir } from './paths.ts'

/** A process of ours, told from a later one with the same id by its start time. */
export interface ProcessMark {
  name: string
  pid: number
  started: string
}

/** What a running system writes down: for a second start, for `npm run admin` and for the demo. */
export interface RuntimeState {
  url: string
  runner: ProcessMark
  processes: ProcessMark[]
  /** The environment of each service, so that its commands find the same servers; empty when they are containers. */
  env: Record<string, Record<string, string>>
}

export interface Secrets {
  identityKey: string
  voterKey: string
  databasePassword: string
}

const runtimeFile = join(dataDir, 'runtime.json')
const secretsFile = join(dataDir, 'secrets.json')

export async function readRuntime(): Promise<RuntimeState | null> {
  const text = await readFile(runtimeFile, 'utf8').catch(() => null)
  return text ? (JSON.parse(text) as RuntimeState) : null
}

export async function writeRuntime(state: RuntimeState): Promise<void> {
  await writeAtomically(runtimeFile, JSON.stringify(state, null, 2))
}

export async function forgetRuntime(): Promise<void> {
  await rm(runtimeFile, { force: true })
}

/** The secrets of this installation, made at the first start and readable by its user alone. */
export async function loadSecrets(): Promise<Secrets> {
  const text = await readFile(secretsFile, 'utf8').catch(() => null)
  if (text) return JSON.parse(text) as Secrets
  const secret = () => randomBytes(32).toString('hex')
  const secrets = { identityKey: secret(), voterKey: secret(), databasePassword: secret() }
  await writeAtomically(secretsFile, JSON.stringify(secrets))
  return secrets
}

export async function markProcess(name: string, pid: number): Promise<ProcessMark> {
  return { name, pid, started: (await startTime(pid)) ?? '' }
}

export async function isAlive(mark: ProcessMark): Promise<boolean> {
  const started = await startTime(mark.pid)
  return started !== null && started === mark.started
}

/** Ends what a runner that was killed has left behind. Returns the names of what it ended. */
export async function endLeftovers(state: RuntimeState): Promise<string[]> {
  const ended: string[] = []
  for (const mark of [...state.processes].reverse()) {
    if (!(await isAlive(mark))) continue
    ended.push(mark.name)
    process.kill(mark.pid, 'SIGTERM')
    if (!(await hasEnded(mark, 20_000))) process.kill(mark.pid, 'SIGKILL')
  }
  return ended
}

async function hasEnded(mark: ProcessMark, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await delay(100)) {
    if (!(await isAlive(mark))) return true
  }
  return false
}

async function startTime(pid: number): Promise<string | null> {
  const ps = promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])
  const line = await ps.then(({ stdout }) => stdout.trim()).catch(() => '')
  if (line === '' || line.startsWith('Z')) return null
  return line.replace(/^\S+\s+/, '')
}

async function writeAtomically(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
