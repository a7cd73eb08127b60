import { join } from 'node:path'
import { cpuSeconds, freePort, MINIO_CREDENTIALS, startProcess } from '@skyfolio/testkit/servers'
import { Client } from 'minio'
import { root } from '../../local/paths.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { cleanups, startStore, startSystem } from '../harness.ts'

/** A system with a MinIO of its own, and the servers of the reference beside it. */
export interface BenchSystem {
  url: string
  env: RuntimeState['env']
  /** Process ids of the components and of the reference. */
  pids: Record<string, number>
  storeUrl: string
  store: Client
  referenceUrl: string
}

/** `roles` of reference.ts: the server behind, with its value, and the one in front of it. */
interface Reference {
  roles: [behind: string, front: string]
  value?: string
}

/** Starts a complete system as `npm start` does. Node's heap is that of the images, not that of the local runner. */
export async function startBenchSystem(
  folder: string,
  { roles, value = '' }: Reference,
  settings: (storeUrl: string) => Record<string, string>,
): Promise<BenchSystem> {
  const minio = await startStore(folder)
  const own = { ...minio.settings, SKYFOLIO_HEAP: 'default', ...settings(minio.url) }
  const system = await startSystem(folder, own)
  const [behind, front] = roles
  const back = await startReference(folder, behind, value)
  const reference = await startReference(folder, front, back.url)
  const { processes, env } = await system.state()
  const components = Object.fromEntries(processes.map(({ name, pid }) => [name, pid]))
  const { hostname: endPoint, port } = new URL(minio.url)
  return {
    url: system.url,
    env,
    pids: { ...components, [behind]: back.pid, [front]: reference.pid },
    storeUrl: minio.url,
    store: new Client({ endPoint, port: Number(port), useSSL: false, ...MINIO_CREDENTIALS }),
    referenceUrl: reference.url,
  }
}

async function startReference(folder: string, role: string, value: string) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startProcess({
    name: role,
    command: process.execPath,
    args: [join(root, 'deploy/checks/bench/reference.ts'), role, value],
    url,
    logFile: join(folder, `${role}.log`),
    stopSignal: 'TERM',
    env: { PORT: String(port) },
    ready: () => fetch(url),
  })
  cleanups.push(() => server.stop())
  return { url, pid: server.pid }
}

/** CPU seconds of these processes together. */
export async function readCpu({ pids }: BenchSystem, names: string[]): Promise<number> {
  const seconds = await Promise.all(names.map((name) => cpuSeconds(pids[name] ?? 0)))
  return seconds.reduce<number>((sum, one) => sum + (one ?? 0), 0)
}
