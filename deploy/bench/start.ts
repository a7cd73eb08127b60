import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '@skyfolio/kit/servers'
import { root } from '../local/paths.ts'
import type { RuntimeState } from '../local/state.ts'

// `npm run bench:start`: seconds until the system is ready, with new data and with kept data, and the resident memory
// of its Node processes once they idle. Prints Markdown.
const idleMs = 20_000
const services = ['auth', 'folders', 'media', 'worker', 'gateway']

async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Math.round(Number(stdout) / 1024)
}

async function measure(dataDir: string): Promise<{ seconds: number; memory: Record<string, number> }> {
  const env = { ...process.env, SKYFOLIO_DATA: dataDir, SKYFOLIO_PORT: String(await freePort()) }
  const begun = performance.now()
  const runner = spawn(process.execPath, ['deploy/local/run.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => runner.once('exit', resolve))
  for await (const line of createInterface({ input: runner.stdout })) if (line.startsWith('Skyfolio is ready')) break
  const seconds = (performance.now() - begun) / 1000
  runner.stdout.resume()
  await delay(idleMs)
  const state = JSON.parse(await readFile(join(dataDir, 'runtime.json'), 'utf8')) as RuntimeState
  const memory: Record<string, number> = { runner: await residentMegabytes(runner.pid ?? 0) }
  for (const { name, pid } of state.processes) if (services.includes(name)) memory[name] = await residentMegabytes(pid)
  runner.kill('SIGTERM')
  await ended
  return { seconds, memory }
}

const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
await chmod(dataDir, 0o755)
const first = await measure(dataDir)
const second = await measure(dataDir)
await rm(dataDir, { recursive: true, force: true })

const total = (memory: Record<string, number>) => Object.values(memory).reduce((sum, megabytes) => sum + megabytes, 0)
const parts = Object.entries(second.memory).map(([name, megabytes]) => `${name} ${megabytes}`)
console.log(`| start | seconds until ready | Node processes idle, resident MB |
| --- | --- | --- |
| new data | ${first.seconds.toFixed(1)} | ${total(first.memory)} |
| kept data | ${second.seconds.toFixed(1)} | ${total(second.memory)} (${parts.join(', ')}) |`)
