import { componentNames, httpComponents } from '../../../components.ts'
import { kubectl, listPods, objectName, run, target, waitUntil } from '../cluster.ts'
import { allowedConnections } from '../connections.ts'
import type { Outcome } from '../outcome.ts'

/** The stores, the partner's stand-in and the mailbox. */
const SERVER_PORTS = {
  postgresql: 5432,
  redis: 6379,
  nats: 4222,
  minio: 9000,
  'partner-sandbox': 8080,
  mailbox: 1025,
} as const
type Server = keyof typeof SERVER_PORTS
const services = componentNames(httpComponents().filter(({ isPublic }) => !isPublic))

/** Allowed connections by source; all others that are tried must be closed. */
const ALLOWED: Record<string, readonly string[]> = {
  ...allowedConnections(),
  'partner-sandbox': ['gateway'],
  mailbox: [],
  /** Any other pod of the same namespace; no policy restricts its connections to the outside. */
  other: ['gateway', 'the API server'],
}

interface Endpoint {
  name: string
  host: string
  port: number
}

/** Lists the ports of all services and servers, the operator ports, the pages of sandbox and mailbox, and the API server. */
async function listEndpoints(): Promise<Endpoint[]> {
  const ips = new Map<string, string>()
  for (const component of ['gateway', ...services])
    ips.set(component, (await listPods(component))[0]?.status.podIP ?? '')
  return [
    { name: 'gateway', host: objectName('gateway'), port: 80 },
    ...services.map((name) => ({ name: name as string, host: objectName(name), port: 8080 })),
    ...(Object.keys(SERVER_PORTS) as Server[]).map((name) => ({
      name: name as string,
      host: objectName(name),
      port: SERVER_PORTS[name],
    })),
    { name: "partner-sandbox's control port", host: objectName('partner-sandbox'), port: 8081 },
    { name: "mailbox's page", host: objectName('mailbox'), port: 8080 },
    ...[...ips].map(([component, host]) => ({ name: `${component}'s operator port`, host, port: 9090 })),
    { name: 'the API server', host: 'kubernetes.default', port: 443 },
  ]
}

const CONNECT_TIMEOUT_MS = 2_000

/** Runs in a pod: prints for each endpoint whether a connection opens. */
const PROBE_SCRIPT = `
const { connect } = require('node:net')
const attempts = JSON.parse(process.argv[1]).map(({ name, host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: ${CONNECT_TIMEOUT_MS} })
  const finish = (open) => { socket.destroy(); resolve([name, open]) }
  socket.on('connect', () => finish(true)).on('timeout', () => finish(false)).on('error', (e) => finish(e.code === 'ENOTFOUND' || e.code === 'EAI_AGAIN' ? e.code : false))
}))
Promise.all(attempts).then((all) => console.log(JSON.stringify(Object.fromEntries(all))))`

type Findings = Record<string, boolean | string>

async function probeFrom(pod: string, container: string, all: Endpoint[]): Promise<Findings> {
  return JSON.parse(
    await kubectl('exec', pod, '--container', container, '--', 'node', '-e', PROBE_SCRIPT, JSON.stringify(all)),
  )
}

const PROBE_POD = 'network-policy-probe'

/** Starts a pod that no policy selects, with an image that the nodes have. */
async function startProbePod(image: string): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: PROBE_POD },
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
  await kubectl('wait', `pod/${PROBE_POD}`, '--for=condition=Ready', '--timeout=60s')
}

/** Checks from within the pods that every allowed connection is open and every other one closed. */
export async function networkPolicy(): Promise<Outcome> {
  const all = await listEndpoints()
  const [gateway] = await listPods('gateway')
  await startProbePod(gateway?.spec.containers[0]?.image ?? '')
  const errors: string[] = []
  const counts = { open: 0, closed: 0 }
  try {
    for (const [from, open] of Object.entries(ALLOWED)) {
      const isProbe = from === 'other'
      const pod = isProbe ? PROBE_POD : ((await listPods(from))[0]?.metadata.name ?? '')
      const found = await probeFrom(
        pod,
        isProbe ? 'probe' : from,
        // No policy applies to connections to itself.
        all.filter(({ name }) => !name.startsWith(from)),
      )
      for (const [to, is] of Object.entries(found)) {
        if (is === open.includes(to)) counts[is ? 'open' : 'closed'] += 1
        else errors.push(`from ${from} to ${to}: ${is === true ? 'open' : is === false ? 'closed' : is}`)
      }
    }
  } finally {
    await kubectl('delete', 'pod', PROBE_POD, '--grace-period=0', '--force')
    await waitUntil('the probe has terminated', 30, async () => !(await kubectl('get', 'pods')).includes(PROBE_POD))
  }
  return {
    figures: { 'allowed connections that are open': counts.open, 'other connections that are closed': counts.closed },
    checks: { 'every connection is as expected': errors.length === 0 },
    errors,
  }
}
