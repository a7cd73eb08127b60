import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { testDirectory } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../local/paths.ts'

const run = promisify(execFile)
const makeSecrets = (...args: string[]) => run(join(root, 'deploy/make-secrets.sh'), args)
const made = async () => parseEnv((await makeSecrets('env')).stdout) as Record<string, string>

/** Runs the check of docker compose at the start, with these settings. */
async function checkSecrets(env: Record<string, string>): Promise<string> {
  const script = join(root, 'deploy/compose/check-secrets.sh')
  return run('bash', [script], { env: { PATH: process.env.PATH, ...env } }).then(
    () => 'content',
    (error: { stderr: string }) => error.stderr,
  )
}

test('every secret is random, long, and alphanumeric', async () => {
  const [first, second] = await Promise.all([made(), made()])
  const values = [...Object.values(first), ...Object.values(second)]
  expect(new Set(values).size).toBe(values.length)
  for (const value of values) expect(value).toMatch(/^[a-p]{20,}$/)
  const { IDENTITY_KEYS, VOTER_KEYS, LINK_KEYS, PRINT_IMAGE_KEYS } = first
  for (const key of [IDENTITY_KEYS, VOTER_KEYS, LINK_KEYS, PRINT_IMAGE_KEYS]) expect(key).toHaveLength(64)
})

test('an .env is readable by its owner only, and a complete one is not changed', async () => {
  const file = join(testDirectory(), 'made.env')
  await makeSecrets('env', file)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const before = await readFile(file, 'utf8')
  expect((await makeSecrets('env', file)).stderr).toBe('')
  expect(await readFile(file, 'utf8')).toBe(before)
})

test('an .env of an earlier release gets the secrets that it lacks, and keeps its own', async () => {
  const file = join(testDirectory(), 'earlier.env')
  const { LINK_KEYS: _, PRINT_IMAGE_KEYS: __, VOTER_KEYS: ___, ...earlier } = await made()
  const lines = Object.entries(earlier).map(([name, value]) => `${name}=${value}`)
  const own = [...lines, 'export VOTER_KEYS=mine', 'SKYFOLIO_PORT=8090'].join('\n')
  await writeFile(file, own)
  expect((await makeSecrets('env', file)).stderr).toBe(`make-secrets: added to ${file}: LINK_KEYS PRINT_IMAGE_KEYS\n`)
  const text = await readFile(file, 'utf8')
  expect(text.startsWith(`${own}\n`)).toBe(true)
  for (const key of [parseEnv(text).LINK_KEYS, parseEnv(text).PRINT_IMAGE_KEYS]) expect(key).toMatch(/^[a-p]{64}$/)
  expect(parseEnv(text)).toMatchObject({ ...earlier, VOTER_KEYS: 'mine', SKYFOLIO_PORT: '8090' })
})

test('the manifest is a Secret with the keys that the chart reads', async () => {
  const secret = parse((await makeSecrets('manifest', '--name', 'other')).stdout)
  expect(secret).toMatchObject({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name: 'other' } })
  expect(Object.keys(secret.stringData)).toEqual([
    ...['identity-keys', 'voter-keys', 'link-keys', 'print-image-keys'],
    ...['postgres-password', 'redis-password', 'nats-password', 's3-access-key', 's3-secret-key', 'page-key'],
  ])
  const values = Object.values(secret.stringData)
  expect(new Set(values).size).toBe(values.length)
  await expect(makeSecrets('manifest', '--name', 'two\nlines')).rejects.toThrow('is not a valid name')
})

test('the check before the start accepts generated secrets, also with a second key', async () => {
  const [first, second] = await Promise.all([made(), made()])
  expect(await checkSecrets(first)).toBe('content')
  expect(await checkSecrets({ ...first, IDENTITY_KEYS: `${second.IDENTITY_KEYS},${first.IDENTITY_KEYS}` })).toBe(
    'content',
  )
})

test.each([
  ['REDIS_PASSWORD', 'changeme', 'is a sample value'],
  ['NATS_PASSWORD', 'please-change-me-please-change-me', 'is a sample value'],
  ['S3_SECRET_KEY', 'minioadmin', 'is a sample value'],
  ['POSTGRES_PASSWORD', 'short-one', 'has fewer than 24 characters'],
  ['VOTER_KEYS', 'a'.repeat(64), 'repeats a few characters'],
  ['LINK_KEYS', 'the-same-for-links', 'has fewer than 32 characters'],
  ['PRINT_IMAGE_KEYS', 'too-short-to-sign', 'has fewer than 32 characters'],
])('the check before the start rejects %s=%s', async (name, value, why) => {
  expect(await checkSecrets({ ...(await made()), [name]: value })).toContain(`${name} ${why}`)
})

test('the check before the start rejects a secret that is used twice', async () => {
  const env = await made()
  const said = await checkSecrets({ ...env, NATS_PASSWORD: env.REDIS_PASSWORD ?? '' })
  expect(said).toContain('is the same as')
})

test('the check before the start rejects a mail server without a sender, and does not show its address', async () => {
  const env = { ...(await made()), SMTP_URL: 'smtp://user:hidden@mail.example' }
  expect(await checkSecrets({ ...env, MAIL_FROM: 'a@photos.example' })).toBe('content')
  const said = await checkSecrets({ ...env, MAIL_FROM: '' })
  expect(said).toMatch(/^MAIL_FROM is missing beside SMTP_URL/)
  expect(said).not.toContain('hidden')
})
