import { componentNames, httpComponents } from '../../../components.ts'
import { kubectl, objectName, pods, run, target, until } from '../cluster.ts'
import { allowedConnections } from '../connections.ts'
import type { Outcome } from '../figures.ts'

const stores = { postgresql: 5432, redis: 6379, nats: 4222, minio: 9000 } as const
type Store = keyof typeof stores
const services = componentNames(httpComponents().filter(({ isPublic }) => !isPublic))

/** Who may reach what; everything else that is tried must be closed. */
const allowed: Record<string, readonly string[]> = {
  ...allowedConnections(),
  /** Any other pod, of the same namespace; no policy keeps it from what is outside. */
  stranger: ['gateway', 'the API server'],
}

interface Place {
  name: string
  host: string
  port: number
}

/** The doors of every service and store, the doors for operators, and the API server. */
async function places(): Promise<Place[]> {
  const ips = new Map<string, string>()
  for (const component of ['gateway', ...services]) ips.set(component, (await pods(component))[0]?.status.podIP ?? '')
  return [
    { name: 'gateway', host: objectName('gateway'), port: 80 },
    ...services.map((name) => ({ name: name as string, host: objectName(name), port: 8080 })),
    ...(Object.keys(stores) as Store[]).map((name) => ({
      name: name as string,
      host: objectName(name),
      port: stores[name],
    })),
    ...[...ips].map(([component, host]) => ({ name: `${component}'s operator port`, host, port: 9090 })),
    { name: 'the API server', host: 'kubernetes.default', port: 443 },
  ]
}

const waitMs = 2_000

/** What runs in a pod: says for each place whether a connection opens. */
const probe = `
const { connect } = require('node:net')
const tried = JSON.parse(process.argv[1]).map(({ name, host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: ${waitMs} })
  const say = (open) => { socket.destroy(); resolve([name, open]) }
  socket.on('connect', () => say(true)).on('timeout', () => say(false)).on('error', (e) => say(e.code === 'ENOTFOUND' || e.code === 'EAI_AGAIN' ? e.code : false))
}))
Promise.all(tried).then((all) => console.log(JSON.stringify(Object.fromEntries(all))))`

type Findings = Record<string, boolean | string>

async function tryFrom(pod: string, container: string, all: Place[]): Promise<Findings> {
  return JSON.parse(
    await kubectl('exec', pod, '--container', container, '--', 'node', '-e', probe, JSON.stringify(all)),
  )
}

const strangerName = 'network-policy-probe'

/** A pod that nothing knows, with an image that the nodes have. */
async function startStranger(image: string): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: strangerName },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'probe',
          image,
          command: ['node', '-e', 'setInterval(() => {}, 1000)'],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  }
  const args = ['--namespace', target.namespace, 'apply', '--filename', '-']
  await run('kubectl', args, { input: JSON.stringify(pod) })
  await kubectl('wait', `pod/${strangerName}`, '--for=condition=Ready', '--timeout=60s')
}

/** Every allowed path is open and every other closed, tried from within the pods. */
export async function networkPolicy(): Promise<Outcome> {
  const all = await places()
  const [gateway] = await pods('gateway')
  await startStranger(gateway?.spec.containers[0]?.image ?? '')
  const troubles: string[] = []
  const counts = { open: 0, closed: 0 }
  try {
    for (const [from, open] of Object.entries(allowed)) {
      const stranger = from === 'stranger'
      const pod = stranger ? strangerName : ((await pods(from))[0]?.metadata.name ?? '')
      const found = await tryFrom(
        pod,
        stranger ? 'probe' : from,
        // Whoever calls itself meets no policy.
        all.filter(({ name }) => !name.startsWith(from)),
      )
      for (const [to, is] of Object.entries(found)) {
        if (is === open.includes(to)) counts[is ? 'open' : 'closed'] += 1
        else troubles.push(`from ${from} to ${to}: ${is === true ? 'open' : is === false ? 'closed' : is}`)
      }
    }
  } finally {
    await kubectl('delete', 'pod', strangerName, '--grace-period=0', '--force')
    await until('the probe is gone', 30, async () => !(await kubectl('get', 'pods')).includes(strangerName))
  }
  return {
    figures: { 'paths that must be open and are': counts.open, 'paths that must be closed and are': counts.closed },
    checks: { 'each path is as it must be': troubles.length === 0 },
    troubles,
  }
}
