import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const TABLE_MISSING = '42P01'

/** The versions of the dbmate migrations in a folder, in the order in which they are applied. */
async function versionsIn(migrationsDir: string): Promise<string[]> {
  const files = await readdir(migrationsDir)
  return files.flatMap((file) => /^(\d+).*[.]sql$/.exec(file)?.[1] ?? []).sort()
}

/**
 * The versions of the migrations in a folder that a database lacks. It may have others, of a newer release.
 * @throws what the connection throws
 */
export async function missingMigrations(client: pg.ClientBase, migrationsDir: string): Promise<string[]> {
  const required = await versionsIn(migrationsDir)
  const applied = await client.query<{ version: string }>('SELECT version FROM schema_migrations').then(
    ({ rows }) => new Set(rows.map((row) => row.version)),
    (error) => {
      if (error.code === TABLE_MISSING) return new Set<string>()
      throw error
    },
  )
  return required.filter((version) => !applied.has(version))
}

/** Connects; the caller ends the connection. One that breaks later fails its next query and nothing else. */
export async function connectOnce(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

/**
 * Retries once a second until it succeeds, and reports failures: a new reason at once, the same one every 10 seconds.
 * @throws the last error after `limitMs`
 */
export async function attempts<T>(
  options: { say: (reason: string) => void; limitMs?: number },
  attempt: () => Promise<T>,
): Promise<T> {
  const end = Date.now() + (options.limitMs ?? Number.POSITIVE_INFINITY)
  let said = { reason: '', at: 0 }
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() >= end) throw error
      const reason = reasonOf(error)
      if (reason !== said.reason || Date.now() - said.at >= 10_000) {
        options.say(reason)
        said = { reason, at: Date.now() }
      }
    }
    await delay(1_000)
  }
}

/** The message of an error. An AggregateError, as for a host with two unreachable addresses, has none of its own. */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] }
  return message || errors?.map((one) => one.message).join(', ') || code || String(error)
}
