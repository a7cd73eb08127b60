import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '@skyfolio/testkit/servers'
import { componentNames, httpComponents } from '../../components.ts'
import { root } from '../../local/paths.ts'

const { env } = process

/** What is installed, where, and its URL; each has an environment variable. */
export const target = {
  /** Used by these tests only: they create and delete it. */
  namespace: env.NAMESPACE ?? 'skyfolio-test',
  release: env.RELEASE ?? 'sky',
  chart: env.CHART ?? 'helm/skyfolio',
  values: env.VALUES ?? 'helm/skyfolio/ci/evaluation-values.yaml',
  /** Image tags of the installation and of the upgrade; the nodes have or can pull both. */
  tag: env.TAG ?? 'dev',
  nextTag: env.NEXT_TAG ?? 'dev2',
  /** The gateway's URL from this machine, for example through a node port. */
  url: env.BASE_URL ?? 'http://127.0.0.1:30080',
  /** The URL of the object store from this machine, while a test publishes it through a node port. */
  storeUrl: env.STORE_URL ?? 'http://127.0.0.1:30090',
}

const SECRET_NAME = 'skyfolio-secrets'
/** Components that serve HTTP requests, the gateway first. */
export const servers = componentNames(httpComponents())
export const components = componentNames()

/** Runs a program in the repository and returns its output. @throws with the program's error output when it fails */
export async function run(command: string, args: string[], { input = '', seconds = 60 } = {}): Promise<string> {
  const running = promisify(execFile)(command, args, { cwd: root, timeout: seconds * 1000, maxBuffer: 1 << 28 })
  // A program that reads no input may exit before it is sent.
  running.child.stdin?.on('error', () => {}).end(input)
  return (await running).stdout
}

/** Runs kubectl in the namespace of the tests. */
export function kubectl(...args: string[]): Promise<string> {
  return run('kubectl', ['--namespace', target.namespace, ...args])
}

export async function get<T>(...args: string[]): Promise<T> {
  return JSON.parse(await kubectl('get', ...args, '--output', 'json')) as T
}

/** Installs or upgrades the release with this tag and further values, and waits until all its pods are ready. */
export function installRelease(tag: string, further: string[] = [], seconds = 600): Promise<string> {
  const { port } = new URL(target.url)
  const set = [`image.tag=${tag}`, `publicOrigin=${target.url}`, ...further]
  // All users of the tests share one address.
  set.push('components.auth.env.REGISTRATIONS_PER_HOUR=1000')
  // Node ports are in this range.
  if (Number(port) >= 30_000 && Number(port) < 32_768) set.push(`service.nodePort=${port}`)
  const settings = set.flatMap((one) => ['--set', one])
  return helm(['upgrade', '--install', target.release, target.chart, '--values', target.values, ...settings], seconds)
}

/** Runs helm in the namespace of the tests with a timeout. */
export function helm(args: string[], seconds = 600): Promise<string> {
  const waits = args[0] === 'test' ? [] : ['--wait']
  const command = [...args, '--namespace', target.namespace, ...waits, '--timeout', `${seconds}s`]
  return run('helm', command, { seconds: seconds + 30 })
}

/** Waits until `done` returns true. @throws after the timeout, with the last error of `done` */
export async function waitUntil(what: string, seconds: number, done: () => Promise<boolean>): Promise<void> {
  let lastError: unknown
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await delay(250)) {
    const isDone = await done().catch((error) => {
      lastError = error
      return false
    })
    if (isDone) return
  }
  throw new Error(`Not within ${seconds} s: ${what}.`, { cause: lastError })
}

export interface Pod {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string }
  spec: { containers: { name: string; image: string }[] }
  status: {
    phase: string
    podIP?: string
    conditions?: { type: string; status: string }[]
    containerStatuses?: { restartCount: number; state: { waiting?: { reason: string } } }[]
    initContainerStatuses?: { restartCount: number }[]
  }
}

/** Lists the pods of the release, or of one component, without terminating and completed ones. */
export async function listPods(component?: string): Promise<Pod[]> {
  const all = await listAllPods(component)
  return all.filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase !== 'Succeeded')
}

/** Includes terminating pods. */
export async function listAllPods(component?: string): Promise<Pod[]> {
  const labels = [`app.kubernetes.io/instance=${target.release}`]
  if (component) labels.push(`app.kubernetes.io/component=${component}`)
  return (await get<{ items: Pod[] }>('pods', '--selector', labels.join())).items
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
}

export function componentOf({ metadata }: Pod): string {
  return metadata.labels['app.kubernetes.io/component'] ?? ''
}

/** Counts the restarts of these pods' containers. */
export function countRestarts(list: Pod[]): number {
  const statuses = list.flatMap(({ status }) => [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
  ])
  return statuses.reduce((sum, { restartCount }) => sum + restartCount, 0)
}

/** Waits until all pods of the release are ready, none terminates, and `also` holds. */
export function waitUntilSettled(seconds: number, also = async () => true): Promise<void> {
  return waitUntil('every pod is ready and none is terminating', seconds, async () => {
    const [all, staying] = [await listAllPods(), await listPods()]
    const left = all.some(({ metadata }) => metadata.deletionTimestamp)
    return !left && staying.length > 0 && staying.every(isReady) && also()
  })
}

/** Scales components and waits until it is done. */
export async function scaleTo(replicas: number, names: string[], seconds = 180): Promise<void> {
  const deployments = names.map((name) => `deployment/${objectName(name)}`)
  await kubectl('scale', ...deployments, `--replicas=${replicas}`)
  await waitUntilSettled(seconds, async () => {
    const counts = await Promise.all(names.map(async (name) => (await listAllPods(name)).length))
    return counts.every((count) => count === replicas)
  })
}

/** Creates the namespace with restricted Pod Security, and the secrets, as an operator does before an installation. */
export async function prepareNamespace(): Promise<void> {
  const { namespace } = target
  await run('kubectl', ['create', 'namespace', namespace])
  await run('kubectl', ['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted'])
  const manifest = await run('bash', ['deploy/make-secrets.sh', 'manifest', '--name', SECRET_NAME])
  await run('kubectl', ['--namespace', namespace, 'create', '--filename', '-'], { input: manifest })
  const key = (await run('openssl', ['rand', '-hex', '32'])).trim()
  await kubectl('patch', 'secret', SECRET_NAME, '--patch', JSON.stringify({ stringData: { 'load-test-key': key } }))
}

/** Reads the secrets of the installation in plain text. */
export async function readSecrets(): Promise<Record<string, string>> {
  const { data } = await get<{ data: Record<string, string> }>('secret', SECRET_NAME)
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
}

/** Returns the name of an object of the release. */
export function objectName(part: string): string {
  const { release } = target
  return release.includes('skyfolio') ? `${release}-${part}` : `${release}-skyfolio-${part}`
}

/** Forwards a local port to a service in the cluster. */
export async function forwardPort(service: string, port: number): Promise<{ port: number; close(): void }> {
  const local = await freePort()
  const args = ['--namespace', target.namespace, 'port-forward', `service/${service}`, `${local}:${port}`]
  const child = spawn('kubectl', args, { stdio: 'ignore' })
  process.once('exit', () => child.kill())
  await waitUntil(`${service} is forwarded`, 30, async () => {
    const socket = connect(local, '127.0.0.1')
    await once(socket, 'connect')
    socket.destroy()
    return true
  })
  return { port: local, close: () => void child.kill() }
}
