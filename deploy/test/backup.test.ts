import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../local/paths.ts'

/** What a client of PostgreSQL gets from the backup scripts: its password, then its command line. */
function given(url: string): string[] {
  const script = `source "$1"; client() { printf '%s\\n' "\${PGPASSWORD-}" "$@"; }; on media client --one 'a b'`
  const { PGPASSWORD: _, ...env } = process.env
  const said = execFileSync('bash', ['-c', script, '-', join(root, 'deploy/backup/common.sh')], {
    env: { ...env, OBJECT_STORE: 'dir', MEDIA_DATABASE_URL: url },
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

test.each([
  'postgresql://db:5432/skyfolio_media?application_name=a@b',
  'postgres://media@db:5432,other:5432/skyfolio_media',
])('the URL %s without a password stays as it is', (url) => {
  expect(given(url)).toEqual(['', '-d', url, '--one', 'a b'])
})
