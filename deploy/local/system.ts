import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { EarlierDatabaseError, migrate } from '@skyfolio/kit/migrations'
import { freePort, startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'
import { componentNames } from '../components.ts'
import { pageUrl, printLine, type StandInPages } from './console.ts'
import { hasMailServer, hasPartner } from './outside-servers.ts'
import { root } from './paths.ts'
import { makePrivate } from './private-data.ts'
import {
  loadSecrets,
  markProcess,
  type ProcessMark,
  type RuntimeState,
  removeRuntime,
  type Secrets,
  writeRuntime,
} from './runtime-file.ts'
import { type LocalPlan, type LocalSettings, planServices, type ServerUrls, startNode } from './services.ts'
import { planMailbox, planPartnerSandbox } from './stand-ins.ts'
import { ProcessSupervisor, type RunningProcess } from './supervisor.ts'

export interface SystemOptions {
  dataDir: string
  /** The one URL that people open. */
  url: string
  port: number
  gatewayPort: number
  /** Watch mode: services restart when their sources change, Vite serves the web application. */
  dev: boolean
}

const READY_WITHIN_MS = 120_000

/** All processes of Skyfolio on this machine. They start in this order: servers, services, gateway. */
export class System {
  readonly #options: SystemOptions
  readonly #processes: ProcessSupervisor[] = []
  #plan: LocalPlan = { migrations: [], processes: [], env: {} }
  /** The servers in place of the print partner and of a mail server. */
  #standIns: Pick<RuntimeState, 'partnerSandbox' | 'mailbox'> = {}
  #writing: Promise<void> = Promise.resolve()

  constructor(options: SystemOptions) {
    this.#options = options
  }

  /** URLs of the stand-ins' pages, with their key. */
  get pages(): StandInPages {
    const { partnerSandbox, mailbox } = this.#standIns
    return {
      ...(partnerSandbox && { partnerSandbox: pageUrl(partnerSandbox.controlUrl, partnerSandbox.controlKey) }),
      ...(mailbox && { mailbox: pageUrl(mailbox.url, mailbox.key) }),
    }
  }

  /** Resolves when every service is ready. @throws Error that says what could not be started */
  async start(): Promise<void> {
    await makePrivate(this.#options.dataDir)
    const secrets = await loadSecrets()
    const servers = { ...(await this.#startServers(secrets)), ...(await this.#startStandIns(secrets)) }
    const { url: publicOrigin, gatewayPort } = this.#options
    const ports = await this.#choosePorts()
    this.#plan = planServices({ servers, secrets, publicOrigin, gatewayPort, ports })
    await this.#migrate()
    for (const { name, entryPoint } of this.#plan.processes)
      await this.#add(name, () => this.#startService(name, entryPoint, this.#plan.env[name]))
    if (this.#options.dev) await this.#add('vite', () => this.#startVite())
    await this.#waitUntilReady()
  }

  /** Stops everything in the reverse order of its start. */
  async stop(): Promise<void> {
    for (const process of [...this.#processes].reverse()) await process.stop()
    await this.#writing
    await removeRuntime()
  }

  async #startServers(secrets: Secrets): Promise<Omit<ServerUrls, 'partnerSandbox' | 'mailbox'>> {
    const { dataDir } = this.#options
    const [postgres, redis, nats] = await Promise.all([freePort(), freePort(), freePort()])
    const { SKYFOLIO_POSTGRES_URL = '', SKYFOLIO_REDIS_URL = '', SKYFOLIO_NATS_URL = '' } = process.env
    const urls = { postgres: SKYFOLIO_POSTGRES_URL, redis: SKYFOLIO_REDIS_URL, nats: SKYFOLIO_NATS_URL }
    const add = async (name: keyof typeof urls, start: () => Promise<RunningProcess & { url: string }>) => {
      if (urls[name]) return
      await this.#add(name, async () => {
        const running = await start()
        urls[name] = running.url
        return running
      })
    }
    await add('postgres', () =>
      startPostgres({ dataDir: join(dataDir, 'postgres'), port: postgres, password: secrets.databasePassword }),
    )
    const { redisPassword, natsPassword } = secrets
    await add('redis', () => startRedis({ dataDir: join(dataDir, 'redis'), port: redis, password: redisPassword }))
    await add('nats', () => startNats({ dataDir: join(dataDir, 'nats'), port: nats, password: natsPassword }))
    return urls
  }

  /** Starts the stand-ins for what the environment does not name. Returns where the services reach them. */
  async #startStandIns({ pageKey }: Secrets): Promise<Pick<ServerUrls, 'partnerSandbox' | 'mailbox'>> {
    const urls: Pick<ServerUrls, 'partnerSandbox' | 'mailbox'> = {}
    if (!hasPartner()) {
      const { sandbox, env } = await planPartnerSandbox({ ...this.#options, pageKey })
      this.#standIns.partnerSandbox = sandbox
      urls.partnerSandbox = sandbox.url
      await this.#addStandIn('partner-sandbox', env)
    }
    if (!hasMailServer()) {
      const { mailbox, env } = await planMailbox({ ...this.#options, pageKey })
      this.#standIns.mailbox = mailbox
      urls.mailbox = mailbox.smtpUrl
      await this.#addStandIn('mailbox', env)
    }
    return urls
  }

  #addStandIn(name: string, env: Record<string, string>): Promise<void> {
    return this.#add(name, () => this.#startService(name, `deploy/${name}/src/main.ts`, env))
  }

  /** @throws Error that says what to do with data of a version before 1.0 */
  async #migrate(): Promise<void> {
    try {
      for (const { url, folder } of this.#plan.migrations) await migrate(url, join(root, folder))
    } catch (error) {
      if (!(error instanceof EarlierDatabaseError)) throw error
      const { dataDir } = this.#options
      throw new Error(`The data in ${dataDir} is of a version before 1.0, which cannot be upgraded. Move or remove it.`)
    }
  }

  async #choosePorts(): Promise<LocalSettings['ports']> {
    const names = componentNames()
    const free = await Promise.all(names.flatMap(() => [freePort(), freePort()]))
    return Object.fromEntries(
      names.map((name, index) => [name, { http: free[2 * index] ?? 0, ops: free[2 * index + 1] ?? 0 }]),
    )
  }

  async #add(name: string, start: () => Promise<RunningProcess>): Promise<void> {
    const supervisor = new ProcessSupervisor(name, start, () => this.#writeState())
    this.#processes.push(supervisor)
    await supervisor.start()
  }

  #startService(name: string, entryPoint: string, env: Record<string, string> = {}): Promise<RunningProcess> {
    const watch = this.#options.dev ? ['--watch', '--watch-preserve-output'] : []
    return startNode(name, [...watch, join(root, entryPoint)], env)
  }

  #startVite(): Promise<RunningProcess> {
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

  async #waitUntilReady(): Promise<void> {
    const { partnerSandbox, mailbox } = this.#standIns
    const waiting = new Map(
      this.#plan.processes.map(({ name, opsPort }) => [name, `http://127.0.0.1:${opsPort}/readyz`]),
    )
    if (partnerSandbox) waiting.set('partner-sandbox', `${partnerSandbox.controlUrl}/livez`)
    if (mailbox) waiting.set('mailbox', `${mailbox.url}/livez`)
    const reasons = new Map<string, string>()
    for (const deadline = Date.now() + READY_WITHIN_MS; waiting.size > 0; await delay(100)) {
      if (Date.now() > deadline) {
        const missing = [...waiting.keys()].map((name) => `${name} (${reasons.get(name)})`)
        throw new Error(`Not ready after ${READY_WITHIN_MS / 1000} s: ${missing.join(', ')}.`)
      }
      for (const [name, probe] of waiting) {
        const reason = await whyNotReady(probe)
        if (reason === null) waiting.delete(name)
        else reasons.set(name, reason)
      }
    }
    if (this.#options.dev) printLine('vite', `serves the web application at ${this.#options.url}`)
  }

  /** Writes which processes run now; writes follow one another. */
  #writeState(): void {
    this.#writing = this.#writing.then(async () => {
      const marks: ProcessMark[] = []
      for (const { name, pid } of this.#processes) if (pid) marks.push(await markProcess(name, pid))
      const runner = await markProcess('runner', process.pid)
      const { url } = this.#options
      await writeRuntime({ url, runner, processes: marks, env: this.#plan.env, ...this.#standIns })
    })
  }
}

/** Null when the probe succeeds. */
function whyNotReady(probe: string): Promise<string | null> {
  return fetch(probe).then(
    async (response) => (response.ok ? null : `${response.status} ${await response.text()}`),
    (error: Error) => String(error.cause ?? error),
  )
}
