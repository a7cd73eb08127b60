import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { migrate } from '@skyfolio/kit/migrations'
import { freePort, startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'
import { say } from './console.ts'
import { root } from './paths.ts'
import { entryPoints, environments, type Ports, type ServerUrls, startNode } from './services.ts'
import { forgetRuntime, loadSecrets, markProcess, type ProcessMark, type Secrets, writeRuntime } from './state.ts'
import { type Running, Supervised } from './supervisor.ts'

export interface SystemOptions {
  dataDir: string
  /** The one URL that people open. */
  url: string
  port: number
  gatewayPort: number
  /** Watch mode: services restart when their sources change, Vite serves the SPA. */
  dev: boolean
}

const migrated = ['auth', 'media', 'folders']
const readyWithinMs = 60_000

/** Every process of Skyfolio on this machine: servers first, then services, the gateway last. */
export class System {
  readonly #options: SystemOptions
  readonly #processes: Supervised[] = []
  #env: Record<string, Record<string, string>> = {}
  #writing: Promise<void> = Promise.resolve()

  constructor(options: SystemOptions) {
    this.#options = options
  }

  /** Resolves when every service says that it is ready. Throws with a clear message when one cannot be started. */
  async start(): Promise<void> {
    await makePrivateFolders(this.#options.dataDir)
    const secrets = await loadSecrets()
    const urls = await this.#startServers(secrets)
    const ports = await this.#choosePorts()
    const { url, gatewayPort } = this.#options
    this.#env = environments(urls, ports, secrets, url, gatewayPort)
    await this.#migrate()
    for (const name of Object.keys(entryPoints)) await this.#add(name, () => this.#startService(name))
    if (this.#options.dev) await this.#add('vite', () => this.#startVite())
    await this.#untilReady(ports)
  }

  /** Ends everything in the reverse order of its start. */
  async stop(): Promise<void> {
    for (const process of [...this.#processes].reverse()) await process.stop()
    await this.#writing
    await forgetRuntime()
  }

  async #startServers(secrets: Secrets): Promise<ServerUrls> {
    const { dataDir } = this.#options
    const [postgres, redis, nats] = await Promise.all([freePort(), freePort(), freePort()])
    const started = { postgres: '', redis: '', nats: '' }
    const server = (name: keyof ServerUrls, start: () => Promise<Running & { url: string }>) =>
      this.#add(name, async () => {
        const running = await start()
        started[name] = running.url
        return running
      })
    await server('postgres', () =>
      startPostgres({ dataDir: join(dataDir, 'postgres'), port: postgres, password: secrets.databasePassword }),
    )
    await server('redis', () => startRedis({ dataDir: join(dataDir, 'redis'), port: redis }))
    await server('nats', () => startNats({ dataDir: join(dataDir, 'nats'), port: nats }))
    return started
  }

  async #choosePorts(): Promise<Ports> {
    const names = Object.keys(entryPoints)
    const [auth = 0, media = 0, folders = 0, ...ops] = await Promise.all(
      Array.from({ length: 3 + names.length }, () => freePort()),
    )
    return { auth, media, folders, ops: Object.fromEntries(names.map((name, index) => [name, ops[index] ?? 0])) }
  }

  async #migrate(): Promise<void> {
    for (const name of migrated) {
      await migrate(this.#env[name]?.DATABASE_URL ?? '', join(root, `services/${name}/prisma/migrations`))
    }
  }

  async #add(name: string, start: () => Promise<Running>): Promise<void> {
    const supervised = new Supervised(name, start, () => this.#writeState())
    this.#processes.push(supervised)
    await supervised.begin()
  }

  #startService(name: string): Promise<Running> {
    const watch = this.#options.dev ? ['--watch', '--watch-preserve-output'] : []
    return startNode(name, [...watch, join(root, entryPoints[name] ?? '')], this.#env[name] ?? {})
  }

  #startVite(): Promise<Running> {
    const { port, gatewayPort } = this.#options
    const args = [
      join(root, 'node_modules/vite/bin/vite.js'),
      join(root, 'web'),
      '--port',
      String(port),
      '--strictPort',
    ]
    return startNode('vite', [...args, '--host', '127.0.0.1'], { SKYFOLIO_API: `http://127.0.0.1:${gatewayPort}` })
  }

  async #untilReady(ports: Ports): Promise<void> {
    const waiting = new Set(Object.keys(entryPoints))
    for (const deadline = Date.now() + readyWithinMs; waiting.size > 0; await delay(100)) {
      if (Date.now() > deadline)
        throw new Error(`Not ready after ${readyWithinMs / 1000} s: ${[...waiting].join(', ')}.`)
      for (const name of waiting) {
        if (await isReady(ports.ops[name] ?? 0)) waiting.delete(name)
      }
    }
    if (this.#options.dev) say('vite', `serves the web application at ${this.#options.url}`)
  }

  /** Writes what runs now, one write after the other. */
  #writeState(): void {
    this.#writing = this.#writing.then(async () => {
      const marks: ProcessMark[] = []
      for (const { name, pid } of this.#processes) if (pid) marks.push(await markProcess(name, pid))
      const runner = await markProcess('runner', process.pid)
      await writeRuntime({ url: this.#options.url, runner, processes: marks, env: this.#env })
    })
  }
}

/** Other users of the machine may pass through to PostgreSQL's folder, whose user may be another, and see nothing. */
async function makePrivateFolders(dataDir: string): Promise<void> {
  await mkdir(join(dataDir, 'objects'), { recursive: true })
  await chmod(join(dataDir, 'objects'), 0o700)
  await chmod(dataDir, 0o711)
}

function isReady(opsPort: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${opsPort}/readyz`).then(
    (response) => response.ok,
    () => false,
  )
}
