import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { resolveBinary } from 'dbmate'
import type { DatabaseError } from 'pg'
import { connectOnce, missingMigrations } from './applied-migrations.ts'

export { attempts, connectOnce, EarlierDatabaseError, missingMigrations, reasonOf } from './applied-migrations.ts'

const DATABASE_MISSING = '3D000'

/**
 * Creates the database when missing and applies the dbmate migrations in the folder that it lacks.
 * @throws EarlierDatabaseError, and Error with what failed
 */
export async function migrate(url: string, migrationsDir: string): Promise<void> {
  if (!(await isMigrated(url, migrationsDir))) await dbmate('up', url, migrationsDir)
}

async function isMigrated(url: string, migrationsDir: string): Promise<boolean> {
  const client = await connectOnce(url).catch((error: DatabaseError) => {
    if (error.code === DATABASE_MISSING) return null
    throw error
  })
  if (!client) return false
  try {
    return (await missingMigrations(client, migrationsDir)).length === 0
  } finally {
    await client.end()
  }
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
