import { execFile, execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPool } from '@skyfolio/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaunchedSystem, launchSystem } from '../local/launch.ts'
import type { RuntimeState, Secrets } from '../local/runtime-file.ts'

// A whole system starts, with a directory that others can read, on a machine with other users.

let parent: string
let dataDir: string
let system: LaunchedSystem
let state: RuntimeState
let secrets: Secrets

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'skyfolio-shared-machine-'))
  await chmod(parent, 0o755)
  dataDir = join(parent, 'data')
  await mkdir(dataDir, { mode: 0o755 })
  system = await launchSystem(dataDir, { LOG_LEVEL: 'warn' })
  state = await system.state()
  secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))
})

afterAll(async () => {
  await system?.stop()
  await rm(parent, { recursive: true, force: true })
})

const portOf = (url = '') => Number(new URL(url).port)
const redisUrl = () => state.env.gateway?.REDIS_URL ?? ''
const natsUrl = () => state.env.gateway?.NATS_URL ?? ''
const passwords = () => [secrets.redisPassword, secrets.natsPassword, secrets.databasePassword]

/** How this process runs a command as the user nobody: as root directly, else with sudo where that asks for nothing. */
function nobody(): { command: string[]; ids?: { uid: number; gid: number } } | null {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  if (process.getuid?.() === 0) return { command: [], ids: { uid: idOf('-u'), gid: idOf('-g') } }
  const sudo = ['sudo', '-n', '-u', 'nobody']
  try {
    execFileSync('sudo', [...sudo.slice(1), 'true'], { stdio: 'ignore' })
    return { command: sudo }
  } catch {
    return null
  }
}

const other = nobody()
if (!other) console.log('NOT TRIED: what another user gets (needs root, or sudo without a password)')

/** Returns what the script of bash prints, as the user nobody. */
async function run(script: string, ...args: string[]): Promise<string> {
  const [program = 'bash', ...before] = [...(other?.command ?? []), 'bash', '-c', script, 'bash', ...args]
  const options = { ...other?.ids, cwd: '/', env: { PATH: process.env.PATH }, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await promisify(execFile)(program, before, options)
  return stdout
}

/** Sends the lines to the port of this machine, and returns what comes within five seconds up to the last line wanted. */
function talk(port: number, lines: string[], wanted: number): Promise<string> {
  const script = `
    exec 3<>/dev/tcp/127.0.0.1/$1
    printf '%b' "$2" >&3
    for _ in $(seq "$3"); do read -r -t 5 line <&3 && printf '%s\\n' "$line"; done
    true`
  return run(script, String(port), lines.map((line) => `${line}\\r\\n`).join(''), String(wanted))
}

if (other)
  describe('another user', () => {
    test('gets nothing from Redis without its password', async () => {
      const responses = await talk(portOf(redisUrl()), ['SET sid:1 admin', 'AUTH wrong', 'KEYS *', 'CONFIG GET *'], 4)
      const [set, auth, keys, config] = responses.split('\n')
      for (const response of [set, keys, config]) expect(response).toMatch(/^-NOAUTH/)
      expect(auth).toMatch(/^-WRONGPASS/)
    })

    test('gets nothing from NATS without its password', async () => {
      const port = portOf(natsUrl())
      for (const user of ['', '"user":"skyfolio","pass":"wrong",']) {
        const connect = `CONNECT {${user}"verbose":false}`
        expect(await talk(port, [connect], 2)).toContain("-ERR 'Authorization Violation'")
      }
    })

    test('gets neither mails nor orders from the pages', async () => {
      const pages = [`${state.mailbox?.url}/api/messages`, `${state.partnerSandbox?.controlUrl}/orders`]
      for (const page of pages) {
        const { port, pathname } = new URL(page)
        const request = [`GET ${pathname} HTTP/1.1`, `Host: 127.0.0.1:${port}`, '']
        expect(await talk(Number(port), request, 1)).toContain(' 401 ')
      }
    })

    test('sees no file of the system, and no password among the processes', async () => {
      const files = (await readdir(dataDir, { recursive: true })).map((name) => join(dataDir, name))
      expect(files).toEqual(expect.arrayContaining([join(dataDir, 'secrets.json'), join(dataDir, 'redis/redis.conf')]))
      const readable = await run('for f; do if [ -r "$f" ]; then echo "$f"; fi; done', dataDir, ...files)
      expect(readable).toBe('')
      const visible = await run('ps axww -o args=; cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"')
      expect(visible).toContain('redis.conf')
      for (const secret of [...passwords(), secrets.pageKey]) expect(visible).not.toContain(secret)
    })
  })

test('PostgreSQL serves nobody without its password', async () => {
  const query = async (password: string) => {
    const url = new URL(state.env.auth?.DATABASE_URL ?? '')
    url.password = password
    const pool = openPool(url.href, { max: 1 })
    await pool.query('SELECT 1').finally(() => pool.end())
  }
  await query(secrets.databasePassword)
  await expect(query('wrong')).rejects.toThrow('password authentication failed')
  await expect(query('')).rejects.toThrow(/password/)
})

test('the output and the logs of the servers have no password', async () => {
  const logs = (await readdir(dataDir)).filter((name) => name.endsWith('.log'))
  const texts = await Promise.all(logs.map((name) => readFile(join(dataDir, name), 'utf8')))
  for (const text of [...texts, system.lines.join('\n')])
    for (const password of passwords()) expect(text).not.toContain(password)
})
