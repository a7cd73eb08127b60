import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { resolveBinary } from 'dbmate'

export { attempts, connectOnce, missingMigrations, reasonOf } from './applied-migrations.ts'

/** Creates the database when missing and applies the dbmate migrations in the folder. */
export function migrate(url: string, migrationsDir: string): Promise<void> {
  return dbmate('up', url, migrationsDir)
}

/**
 * Applies the dbmate migrations in the folder to an existing database; needs no rights beyond those in it. The signal
 * ends dbmate.
 */
export function applyMigrations(url: string, migrationsDir: string, signal?: AbortSignal): Promise<void> {
  return dbmate('migrate', url, migrationsDir, signal)
}

async function dbmate(
  command: 'up' | 'migrate',
  url: string,
  migrationsDir: string,
  signal?: AbortSignal,
): Promise<void> {
  const target = new URL(url)
  // dbmate requires TLS by default, node-postgres does not: both must reach the same server.
  if (!target.searchParams.has('sslmode')) target.searchParams.set('sslmode', 'disable')
  // Arguments are visible to every user of the machine, the environment is not.
  // biome-ignore lint/style/noProcessEnv: handed on to the program as it is, and nothing in it is read
  const env = { ...process.env, DATABASE_URL: target.href }
  try {
    await promisify(execFile)(resolveBinary(), ['--migrations-dir', migrationsDir, '--no-dump-schema', command], {
      env,
      signal,
    })
  } catch (error) {
    throw new Error(`Migrations in ${migrationsDir} failed: ${(error as { stderr?: string }).stderr || error}`)
  }
}
