import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConfig, objectStoreSettings, openObjectStore } from '@skyfolio/kit'
import { openPool } from '@skyfolio/kit/database'
import { startPostgres } from '@skyfolio/testkit/servers'
import { databaseName, databases, variableOf } from '../../components.ts'
import { root } from '../../local/paths.ts'
import type { RuntimeState, Secrets } from '../../local/runtime-file.ts'

type Environment = RuntimeState['env']

/** Settings of the backup scripts, derived from those of the services. */
function backupSettings(env: Environment): Record<string, string> {
  const urls = databases().map((name) => [variableOf(name, 'DATABASE_URL'), env[name]?.DATABASE_URL ?? ''])
  const store = Object.entries(env.media ?? {}).filter(([name]) => /^(OBJECT_STORE_DIR|S3_)/.test(name))
  return Object.fromEntries([...urls, ...store])
}

/** Runs a script. Returns the lines that it printed. @throws Error when it fails */
async function runScript(script: string, args: string[], env: Environment): Promise<string[]> {
  const child = spawn('bash', [join(root, 'deploy/backup', script), ...args], {
    env: { ...process.env, ...backupSettings(env) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output: Buffer[] = []
  child.stdout.on('data', (data: Buffer) => output.push(data))
  const code = await new Promise((resolve) => child.once('close', resolve))
  const text = Buffer.concat(output).toString()
  process.stdout.write(text)
  if (code !== 0) throw new Error(`${script} ended with code ${code}.`)
  return text.trim().split('\n')
}

export interface Backup {
  path: string
  facts: string[]
  /** Objects of rows that were deleted before they could be copied. */
  deletedDuringBackup: number
}

export async function backUp({ env }: RuntimeState, folder: string): Promise<Backup> {
  const start = Date.now()
  const lines = await runScript('backup.sh', [folder], env)
  const output = lines.join('\n')
  const [, objects = '0', deleted = '0'] = /(\d+) objects of photos, (\d+) of them deleted/.exec(output) ?? []
  const [, waited = '?'] = /waited for at most (\d+) ms/.exec(output) ?? []
  const seconds = ((Date.now() - start) / 1000).toFixed(1)
  return {
    path: lines.at(-1) ?? '',
    facts: [
      `backup: ${seconds} s, writes waited at most ${waited} ms, ${objects} objects, ${deleted} deleted during the backup`,
    ],
    deletedDuringBackup: Number(deleted),
  }
}

export interface EmptySystem {
  /** Has a running PostgreSQL with empty databases, and an empty object store. */
  env: Environment
  stop(): Promise<void>
}

/** Prepares a system that has only the secrets of another one, without the key of links; backups do not contain secrets. */
export async function prepareEmpty(from: string, dataDir: string, store: Record<string, string>): Promise<EmptySystem> {
  const { linkKey: _, ...secrets } = JSON.parse(await readFile(join(from, 'secrets.json'), 'utf8')) as Secrets
  await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 })
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), password: secrets.databasePassword })
  const admin = openPool(`${postgres.url}/postgres`, { max: 1 })
  for (const service of databases()) await admin.query(`CREATE DATABASE "${databaseName(service)}"`)
  await admin.end()
  const objects = store.S3_ENDPOINT === undefined ? { ...store, OBJECT_STORE_DIR: join(dataDir, 'objects') } : store
  // Creates the bucket or the directory.
  await openObjectStore(loadConfig(objectStoreSettings, objects))
  const env = Object.fromEntries(
    databases().map((service) => [service, { DATABASE_URL: `${postgres.url}/${databaseName(service)}` }]),
  )
  return {
    env: { ...env, media: { ...env.media, ...objects } },
    stop: () => postgres.stop(),
  }
}

export async function restore({ env }: EmptySystem, path: string): Promise<string[]> {
  const start = Date.now()
  await runScript('restore.sh', [path], env)
  return [`restore: ${((Date.now() - start) / 1000).toFixed(1)} s`]
}

/** Prunes all but the newest backup. Returns what is wrong with the result. */
export async function prune({ env }: RuntimeState, folder: string, newest: string): Promise<string[]> {
  // What a backup leaves behind when its machine stops.
  await mkdir(join(folder, '2020-01-01T000000Z.unfinished'))
  const ledger = (await readdir(join(folder, 'objects/deletions'))).map((name) => `deletions/${name}`)
  await runScript('prune.sh', [folder, '1'], env)
  const remaining = (await readdir(folder)).filter((name) => name !== 'objects')
  const copied = new Set(await readdir(join(folder, 'objects'), { recursive: true }))
  const needed = (await readFile(join(newest, 'objects.txt'), 'utf8')).trim().split('\n')
  const missing = needed.filter((key) => !copied.has(key))
  return [
    ...(remaining.join() === newest.slice(folder.length + 1) ? [] : [`pruning left ${remaining.join(', ')}`]),
    ...(ledger.every((key) => copied.has(key)) && ledger.length > 0 ? [] : ['pruning removed the ledger of deletions']),
    ...missing.map((key) => `pruning removed ${key}, which the newest backup needs`),
  ]
}
