import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate, setSessionSettings } from '@skyfolio/kit/migrations'
import pg from 'pg'
import { testServers } from '../run/test-helpers.ts'

const services = fileURLToPath(new URL('../../../', import.meta.url))

export interface TestDatabase {
  url: string
  /** Drops it and closes the remaining connections. */
  drop(): Promise<void>
}

/** A fresh, migrated database of a service: a copy of a template that is migrated once. */
export function createTestDatabase(service: string): Promise<TestDatabase> {
  return createMigratedDatabase(join(services, service, 'prisma/migrations'))
}

/** A fresh database with the dbmate migrations of a folder. */
export async function createMigratedDatabase(migrations: string): Promise<TestDatabase> {
  const { postgresUrl } = testServers()
  const name = `test_${randomBytes(8).toString('hex')}`
  await asAdmin(async (admin) => {
    const template = await makeTemplate(admin, postgresUrl, migrations)
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
    await setSessionSettings(admin, name)
  })
  return {
    url: `${postgresUrl}/${name}`,
    drop: () => asAdmin(async (admin) => void (await admin.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  }
}

/** The migrated template for a state of the migrations; concurrent test files wait for the one that creates it. */
async function makeTemplate(admin: pg.Client, url: string, migrations: string): Promise<string> {
  const name = `template_${await hashOf(migrations)}`
  await admin.query('SELECT pg_advisory_lock(hashtext($1))', [name])
  try {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [name])
    if (rowCount) return name
    await admin.query(`DROP DATABASE IF EXISTS ${name}`)
    await migrate(`${url}/${name}`, migrations)
    await admin.query(`ALTER DATABASE ${name} IS_TEMPLATE true`)
    return name
  } finally {
    await admin.query('SELECT pg_advisory_unlock(hashtext($1))', [name])
  }
}

async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256').update(folder)
  for (const file of (await readdir(folder)).sort()) hash.update(file).update(await readFile(join(folder, file)))
  return hash.digest('hex').slice(0, 32)
}

async function asAdmin(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: `${testServers().postgresUrl}/postgres` })
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}
