import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { testDirectory } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { databases, migrationsFolder, variableOf } from '../components.ts'
import { root } from '../local/paths.ts'

/** What a client of PostgreSQL gets from the backup scripts: its password, then its command line. */
function given(url: string, apart = ''): string[] {
  const script = `source "$1"; client() { printf '%s\\n' "\${PGPASSWORD-}" "$@"; }; on media client --one 'a b'`
  const { PGPASSWORD: _, ...env } = process.env
  const said = execFileSync('bash', ['-c', script, '-', join(root, 'deploy/backup/common.sh')], {
    env: { ...env, MEDIA_DATABASE_URL: url, MEDIA_DATABASE_PASSWORD: apart },
  })
  return said.toString().replace(/\n$/, '').split('\n')
}

test('a password is never on a command line, and means what the URL says', () => {
  expect(given('postgres://media:p%40s%25%c3%bc\\n?%2541@db:5432/skyfolio_media?sslmode=require')).toEqual([
    'p@s%ü\\n?%41',
    '-d',
    'postgres://media@db:5432/skyfolio_media?sslmode=require',
    '--one',
    'a b',
  ])
})

test.each(['postgres://media@db/x', 'postgres://media:other@db/x'])(
  'a password apart from the URL is passed as it is: %s',
  (url) => {
    const password = `p@ss/w#r?d%41 "'\\n$`
    expect(given(url, password)).toEqual([password, '-d', 'postgres://media@db/x', '--one', 'a b'])
  },
)

test.each([
  'postgresql://db:5432/skyfolio_media?application_name=a@b',
  'postgres://media@db:5432,other:5432/skyfolio_media',
])('the URL %s without a password stays as it is', (url) => {
  expect(given(url)).toEqual(['', '-d', url, '--one', 'a b'])
})

/** Restores a backup whose dumps have these migrations, with programs that say when they are called. */
async function restore(versions: string[]) {
  const folder = join(testDirectory(), `backup-of-${versions[0]}`)
  await mkdir(join(folder, 'bin'), { recursive: true })
  for (const [name, script] of Object.entries({
    psql: 'echo psql; exit 1',
    rclone: 'exit 1',
    pg_restore: 'for file; do :; done; cat "$file"',
  })) {
    await writeFile(join(folder, 'bin', name), `#!/usr/bin/env bash\n${script}\n`)
    await chmod(join(folder, 'bin', name), 0o755)
  }
  const dump = ['COPY public.schema_migrations (version) FROM stdin;', ...versions, '\\.', ''].join('\n')
  const hash = createHash('sha256').update(dump).digest('hex')
  for (const service of databases()) await writeFile(join(folder, `${service}.dump`), dump)
  await writeFile(
    join(folder, 'SHA256SUMS'),
    databases()
      .map((service) => `${hash}  ./${service}.dump\n`)
      .join(''),
  )
  const env = {
    PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
    OBJECT_STORE_DIR: folder,
  }
  const urls = Object.fromEntries(
    databases().map((service) => [variableOf(service, 'DATABASE_URL'), 'postgres://db/x']),
  )
  const { stderr, status } = spawnSync(join(root, 'deploy/backup/restore.sh'), [folder], { env: { ...env, ...urls } })
  return { folder, said: stderr.toString(), status }
}

test('a backup of a version before 1.0 is rejected before anything is restored', async () => {
  const { folder, said, status } = await restore(['20250601000000', '20261205000000'])
  expect([status, said]).toEqual([
    1,
    `The backup in ${folder} is of a version before 1.0, which this one cannot read: restore it with the version that made it.\n`,
  ])
})

test('a backup of this version is restored: it begins with the baseline', async () => {
  for (const service of databases()) {
    expect((await readdir(join(root, migrationsFolder(service)))).sort()[0]).toBe('20261128000000_baseline.sql')
  }
  expect((await restore(['20261128000000'])).said).toBe(
    'The database of auth is unavailable; create an empty one first.\n',
  )
})
