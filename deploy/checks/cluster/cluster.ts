import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { componentNames, httpComponents } from '../../components.ts'
import { root } from '../../local/paths.ts'

const { env } = process

/** What is installed, where, and where its door is; each has a variable of the environment. */
export const target = {
  /** Belongs to these tests alone: they make it and take it away. */
  namespace: env.NAMESPACE ?? 'skyfolio-test',
  release: env.RELEASE ?? 'sky',
  chart: env.CHART ?? 'helm/skyfolio',
  values: env.VALUES ?? 'helm/skyfolio/ci/evaluation-values.yaml',
  /** Tags of the release that is installed, and of the one that it is upgraded to; the nodes have or can pull both. */
  tag: env.TAG ?? 'dev',
  nextTag: env.NEXT_TAG ?? 'dev2',
  /** The gateway as this machine reaches it, through a node port or whatever else. */
  url: env.BASE_URL ?? 'http://127.0.0.1:30080',
}

const secretName = 'skyfolio-secrets'
/** Components that serve HTTP requests, the gateway first. */
export const servers = componentNames(httpComponents())
export const components = componentNames()

/** Runs a program in the repository and gives what it printed. @throws with its own words when it fails */
export async function run(
  command: string,
  args: string[],
  o: { input?: string; seconds?: number } = {},
): Promise<string> {
  const child = spawn(command, args, { cwd: root, stdio: 'pipe', timeout: (o.seconds ?? 60) * 1000 })
  child.stdin.on('error', () => {}).end(o.input ?? '')
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => resolve(String(signal ?? code)))
  })
  const [output, errors, end] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (end === '0') return output
  throw new Error(`${command} ${args.join(' ')} ended with ${end}:\n${errors || output}`)
}

/** Runs kubectl in the namespace of the tests. */
export function kubectl(...args: string[]): Promise<string> {
  return run('kubectl', ['--namespace', target.namespace, ...args])
}

export async function get<T>(...args: string[]): Promise<T> {
  return JSON.parse(await kubectl('get', ...args, '--output', 'json')) as T
}

/** Installs the release, or upgrades it, with the tag, and waits until all its pods are ready. */
export function upgrade(tag: string, seconds = 600): Promise<string> {
  const { port } = new URL(target.url)
  const set = [`image.tag=${tag}`, `publicOrigin=${target.url}`]
  // All users of the tests come from one address.
  set.push('components.auth.env.REGISTRATIONS_PER_HOUR=1000')
  // Such a port is the node's own.
  if (Number(port) >= 30_000 && Number(port) < 32_768) set.push(`service.nodePort=${port}`)
  const settings = set.flatMap((one) => ['--set', one])
  return helm(['upgrade', '--install', target.release, target.chart, '--values', target.values, ...settings], seconds)
}

/** Runs helm in the namespace of the tests; it waits for so long. */
export function helm(args: string[], seconds = 600): Promise<string> {
  const waits = args[0] === 'test' ? [] : ['--wait']
  const command = [...args, '--namespace', target.namespace, ...waits, '--timeout', `${seconds}s`]
  return run('helm', command, { seconds: seconds + 30 })
}

/** Waits until `done` says so; gives the seconds that took. @throws when that does not come in time */
export async function until(what: string, seconds: number, done: () => Promise<boolean>): Promise<number> {
  const begun = performance.now()
  let trouble: unknown
  while (performance.now() - begun < seconds * 1000) {
    const isDone = await done().catch((error) => {
      trouble = error
      return false
    })
    if (isDone) return (performance.now() - begun) / 1000
    await delay(250)
  }
  throw new Error(`Not within ${seconds} s: ${what}.`, { cause: trouble })
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

/** The pods of the release, or those of one component; neither those that are about to go nor those that have ended. */
export async function pods(component?: string): Promise<Pod[]> {
  const all = await allPods(component)
  return all.filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase !== 'Succeeded')
}

/** Those that are about to go too. */
export async function allPods(component?: string): Promise<Pod[]> {
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

/** How often containers of these pods were started again. */
export function restartsOf(list: Pod[]): number {
  const statuses = list.flatMap(({ status }) => [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
  ])
  return statuses.reduce((sum, { restartCount }) => sum + restartCount, 0)
}

/** Waits until all pods of the release are ready, none is about to go, and whatever else is asked for; gives the seconds. */
export function untilSettled(seconds: number, also = async () => true): Promise<number> {
  return until('every pod is ready and none is about to go', seconds, async () => {
    const [all, staying] = [await allPods(), await pods()]
    const left = all.some(({ metadata }) => metadata.deletionTimestamp)
    return !left && staying.length > 0 && staying.every(isReady) && also()
  })
}

/** Gives components so many pods, and waits until it is so; gives the seconds that took. */
export async function scaleTo(replicas: number, names: string[], seconds = 180): Promise<number> {
  const deployments = names.map((name) => `deployment/${objectName(name)}`)
  await kubectl('scale', ...deployments, `--replicas=${replicas}`)
  return untilSettled(seconds, async () => {
    const counts = await Promise.all(names.map(async (name) => (await allPods(name)).length))
    return counts.every((count) => count === replicas)
  })
}

/** Makes the namespace, with the strictest rules for pods, and the secrets, as an operator does before an installation. */
export async function prepareNamespace(): Promise<void> {
  const { namespace } = target
  await run('kubectl', ['create', 'namespace', namespace])
  await run('kubectl', ['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted'])
  const manifest = await run('bash', ['deploy/make-secrets.sh', 'manifest', '--name', secretName])
  await run('kubectl', ['--namespace', namespace, 'create', '--filename', '-'], { input: manifest })
  const key = (await run('openssl', ['rand', '-hex', '32'])).trim()
  await kubectl('patch', 'secret', secretName, '--patch', JSON.stringify({ stringData: { 'load-test-key': key } }))
}

/** The secrets of the installation in plain text. */
export async function secrets(): Promise<Record<string, string>> {
  const { data } = await get<{ data: Record<string, string> }>('secret', secretName)
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
}

/** Name of an object of the release. */
export function objectName(part: string): string {
  const { release } = target
  return release.includes('skyfolio') ? `${release}-${part}` : `${release}-skyfolio-${part}`
}

/** A door of this machine to a service in the cluster. */
export async function forward(service: string, port: number): Promise<{ port: number; close(): void }> {
  const args = ['--namespace', target.namespace, 'port-forward', `service/${service}`, `:${port}`]
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill())
  return { port: await forwardedPort(child), close: () => void child.kill() }
}

async function forwardedPort(child: ChildProcess): Promise<number> {
  let said = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      said += chunk
      const port = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (port) resolve(Number(port))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', () => reject(new Error(`kubectl port-forward ended: ${said}`)))
  })
}
