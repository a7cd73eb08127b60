import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { dataDir } from './paths.ts'

/** A process that we started. Its start time distinguishes it from a later process with the same id. */
export interface ProcessMark {
  name: string
  pid: number
  started: string
}

/** Where the stand-in for the print partner listens (deploy/partner-sandbox). */
export interface PartnerSandbox {
  /** The partner's API. */
  url: string
  /** The page and the control API. */
  controlUrl: string
  /** Which both require. */
  controlKey: string
}

/** Where the mailbox listens, which takes the mails of a local system (deploy/mailbox). */
export interface Mailbox {
  smtpUrl: string
  /** The page and the API. */
  url: string
  /** Which both require. */
  key: string
}

/** What a running system records: for a second start, for operator commands and for the demo. */
export interface RuntimeState {
  url: string
  runner: ProcessMark
  processes: ProcessMark[]
  /** The environment of each component, so that its commands reach the same servers; empty in containers. */
  env: Record<string, Record<string, string>>
  /** The stand-in for the print partner; absent in containers. */
  partnerSandbox?: PartnerSandbox
  /** Absent in containers. */
  mailbox?: Mailbox
}

export interface Secrets {
  identityKey: string
  voterKey: string
  linkKey: string
  printImageKey: string
  databasePassword: string
  redisPassword: string
  natsPassword: string
  /** Of the pages of partner sandbox and mailbox. */
  pageKey: string
}

const RUNTIME_FILE = join(dataDir, 'runtime.json')
const SECRETS_FILE = join(dataDir, 'secrets.json')

export async function readRuntime(): Promise<RuntimeState | null> {
  const text = await readFile(RUNTIME_FILE, 'utf8').catch(() => null)
  return text ? (JSON.parse(text) as RuntimeState) : null
}

export async function writeRuntime(state: RuntimeState): Promise<void> {
  await writeAtomically(RUNTIME_FILE, JSON.stringify(state, null, 2))
}

export async function removeRuntime(): Promise<void> {
  await rm(RUNTIME_FILE, { force: true })
}

/** The secrets of this installation, created at the first start and readable by its user alone. */
export async function loadSecrets(): Promise<Secrets> {
  const text = await readFile(SECRETS_FILE, 'utf8').catch(() => null)
  const secret = () => randomBytes(32).toString('hex')
  const secrets = {
    identityKey: secret(),
    voterKey: secret(),
    linkKey: secret(),
    printImageKey: secret(),
    databasePassword: secret(),
    redisPassword: secret(),
    natsPassword: secret(),
    pageKey: randomBytes(16).toString('hex'),
    // Secrets that an earlier version did not have are added to its file.
    ...(text && (JSON.parse(text) as Partial<Secrets>)),
  }
  await writeAtomically(SECRETS_FILE, JSON.stringify(secrets))
  return secrets
}

export async function markProcess(name: string, pid: number): Promise<ProcessMark> {
  return { name, pid, started: (await startTime(pid)) ?? '' }
}

export async function isAlive(mark: ProcessMark): Promise<boolean> {
  const started = await startTime(mark.pid)
  return started !== null && started === mark.started
}

/** Stops the processes that a killed runner left behind. Returns their names. */
export async function stopLeftovers(state: RuntimeState): Promise<string[]> {
  const stopped: string[] = []
  for (const mark of [...state.processes].reverse()) {
    if (!(await isAlive(mark))) continue
    stopped.push(mark.name)
    process.kill(mark.pid, 'SIGTERM')
    if (!(await waitForEnd(mark, 20_000))) process.kill(mark.pid, 'SIGKILL')
  }
  return stopped
}

async function waitForEnd(mark: ProcessMark, withinMs: number): Promise<boolean> {
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
  // The mode is that of a new file only.
  await rm(`${file}.new`, { force: true })
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
