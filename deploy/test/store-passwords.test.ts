import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openPool } from '@skyfolio/kit/database'
import { TEST_IDENTITY_KEYS, testDirectory, waitFor } from '@skyfolio/testkit'
import { findNats, freePort, pingNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { databases, variableOf } from '../components.ts'
import { root } from '../local/paths.ts'

const PASSWORD = `p@ss/w#r?d%41 "q'\\$HOME: {ü}&-long-enough`
const PIECES = ['p@ss', 'ss/w', 'r?d', '%41', 'long-enough']

function run(command: string, args: string[], env: Record<string, string>) {
  const child = spawn(command, args, { env: { PATH: process.env.PATH, ...env } })
  const running = { output: '', code: new Promise<number | null>((resolve) => child.once('close', resolve)) }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (running.output += chunk))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await running.code
  })
  return running
}

const source = (path: string) => readFileSync(join(root, path), 'utf8')
const nats = parse(source('docker-compose.yml'), { merge: true }).services.nats as {
  entrypoint: [string, string, string]
}

/** NATS as compose starts it, with its configuration, in a folder and at a port of its own. Returns its URL without the password. */
async function startNatsOfCompose(): Promise<string> {
  const folder = join(testDirectory(), 'nats-of-compose')
  await mkdir(folder)
  const port = await freePort()
  const file = join(folder, 'nats.conf')
  const config = source('deploy/compose/nats.conf')
    .replace('port: 4222', `listen: "127.0.0.1:${port}"`)
    .replace('http: 8222\n', '')
    .replace('store_dir: /data', `store_dir: ${JSON.stringify(join(folder, 'data'))}`)
  await writeFile(file, config)
  const [shell, option, script] = nats.entrypoint
  const env = { PATH: `${dirname(await findNats())}:${process.env.PATH}`, NATS_PASSWORD: PASSWORD }
  const server = run(shell, [option, script.replaceAll('$$', '$').replace('/etc/nats/skyfolio.conf', file)], env)
  const answers = () =>
    pingNats(`nats://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    )
  await waitFor(answers, { what: `NATS answers: ${server.output}` })
  return `nats://skyfolio@127.0.0.1:${port}`
}

/** Without the user and the password. */
function addressOf(url: string, user = ''): string {
  const address = new URL(url)
  address.password = ''
  address.username = user
  return address.href
}

test('any printable password of PostgreSQL, Redis and NATS works apart from the URL, and no log has a piece of it', async () => {
  const start = { password: PASSWORD, durable: false }
  const postgres = await startPostgres({ ...start, dataDir: join(testDirectory(), 'guarded-postgres') })
  onTestFinished(() => postgres.stop())
  const redis = await startRedis({ ...start, dataDir: join(testDirectory(), 'guarded-redis') })
  onTestFinished(() => redis.stop())
  const natsUrl = await startNatsOfCompose()

  const pool = openPool(`${postgres.url}/postgres`, { max: 1 })
  for (const name of databases()) await pool.query(`CREATE DATABASE "${name}"`)
  await pool.end()
  const databaseUrl = (name: string) => addressOf(`${postgres.url}/${name}`, 'postgres')
  const migrations = run(
    process.execPath,
    [join(root, 'deploy/migrations/migrate.ts')],
    Object.fromEntries(
      databases().flatMap((name) => [
        [variableOf(name, 'DATABASE_URL'), databaseUrl(name)],
        [variableOf(name, 'DATABASE_PASSWORD'), PASSWORD],
      ]),
    ),
  )
  expect(await migrations.code, migrations.output).toBe(0)

  const opsPort = await freePort()
  const auth = run(process.execPath, [join(root, 'services/auth/src/main.ts')], {
    ...{ PORT: '0', OPS_PORT: String(opsPort), PUBLIC_ORIGIN: 'http://skyfolio.test', LOG_LEVEL: 'debug' },
    IDENTITY_KEYS: TEST_IDENTITY_KEYS.join(),
    ...{ DATABASE_URL: databaseUrl('auth'), DATABASE_PASSWORD: PASSWORD },
    ...{ REDIS_URL: addressOf(redis.url), REDIS_PASSWORD: PASSWORD },
    ...{ NATS_URL: natsUrl, NATS_PASSWORD: PASSWORD },
  })
  const isReady = () =>
    fetch(`http://127.0.0.1:${opsPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor(isReady, { what: 'auth is ready', timeoutMs: 30_000 }).catch((error) => {
    throw new Error(`${error}\n${auth.output}`)
  })
  for (const piece of PIECES) expect(migrations.output + auth.output).not.toContain(piece)
})

test('the chart starts NATS as compose does', () => {
  const [, , script] = nats.entrypoint
  const [quoting = ''] = script.replaceAll('$$', '$').split('\n')
  expect(quoting).toContain('NATS_PASSWORD_QUOTED')
  expect(source('helm/skyfolio/templates/stores/nats.yaml')).toContain(`${quoting}\n`)
})
