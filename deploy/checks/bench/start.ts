import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { componentNames } from '../../components.ts'
import { runCheck, startSystem } from '../harness.ts'

// `npm run check -- bench:start`: seconds until the system is ready, with new and with existing data, and the resident
// memory of its idle Node processes. Prints Markdown.
const IDLE_MS = 20_000
const services = componentNames()

async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Math.round(Number(stdout) / 1024)
}

async function measure(folder: string): Promise<{ seconds: number; memory: Record<string, number> }> {
  const start = performance.now()
  const system = await startSystem(folder)
  const seconds = (performance.now() - start) / 1000
  await delay(IDLE_MS)
  const state = await system.state()
  const memory: Record<string, number> = { runner: await residentMegabytes(system.pid) }
  for (const { name, pid } of state.processes) if (services.includes(name)) memory[name] = await residentMegabytes(pid)
  await system.stop()
  return { seconds, memory }
}

const total = (memory: Record<string, number>) => Object.values(memory).reduce((sum, megabytes) => sum + megabytes, 0)

await runCheck(300_000, async (folder) => {
  const first = await measure(folder)
  const second = await measure(folder)
  const parts = Object.entries(second.memory).map(([name, megabytes]) => `${name} ${megabytes}`)
  console.log(`| start | seconds until ready | Node processes idle, resident MB |
| --- | --- | --- |
| new data | ${first.seconds.toFixed(1)} | ${total(first.memory)} |
| existing data | ${second.seconds.toFixed(1)} | ${total(second.memory)} (${parts.join(', ')}) |`)
})
