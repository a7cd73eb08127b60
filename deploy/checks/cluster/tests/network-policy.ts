import { componentNames, httpComponents } from '../../../components.ts'
import { kubectl, listPods, objectName, run, target } from '../cluster.ts'
import { allowedConnections } from '../connections.ts'
import type { Outcome } from '../outcome.ts'

const services = componentNames(httpComponents().filter(({ isPublic }) => !isPublic))
const PROBE_POD = 'network-policy-probe'

/** Allowed connections by source; all others that are tried must be closed. */
const ALLOWED: Record<string, readonly string[]> = {
  ...allowedConnections(),
  'partner-sandbox': ['gateway'],
  mailbox: [],
  /** Any other pod of the same namespace; no policy restricts its connections to the outside. */
  [PROBE_POD]: ['gateway', 'the API server'],
}

interface Endpoint {
  name: string
  host: string
  port: number
}

/** Lists the ports of all services and servers, the operator ports, the pages of sandbox and mailbox, and the API server. */
async function listEndpoints(): Promise<Endpoint[]> {
  const servers = { postgresql: 5432, redis: 6379, nats: 4222, minio: 9000, 'partner-sandbox': 8080, mailbox: 1025 }
  const ports = { gateway: 80, ...Object.fromEntries(services.map((name) => [name, 8080])), ...servers }
  const operatorPorts = ['gateway', ...services].map(async (name) => {
    const [pod] = await listPods(name)
    return { name: `${name}'s operator port`, host: pod?.status.podIP ?? '', port: 9090 }
  })
  return [
    ...Object.entries(ports).map(([name, port]) => ({ name, host: objectName(name), port })),
    { name: "partner-sandbox's control port", host: objectName('partner-sandbox'), port: 8081 },
    { name: "mailbox's page", host: objectName('mailbox'), port: 8080 },
    ...(await Promise.all(operatorPorts)),
    { name: 'the API server', host: 'kubernetes.default', port: 443 },
  ]
}

/**
 * Runs in a pod: prints for each endpoint whether a connection opens; a name that is not found says nothing of policies. It does
 * not wait for lookups that are still under way, which in a pod without a name server take a minute.
 */
const PROBE_SCRIPT = `
const { connect } = require('node:net')
const attempts = JSON.parse(process.argv[1]).map(({ name, host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 2000 })
  const finish = (open) => { socket.destroy(); resolve([name, open]) }
  socket.on('connect', () => finish(true)).on('timeout', () => finish(false))
  socket.on('error', ({ code }) => finish(code === 'ENOTFOUND' || code === 'EAI_AGAIN' ? code : false))
}))
Promise.all(attempts).then((all) => {
  console.log(JSON.stringify(Object.fromEntries(all)))
  process.exit()
})`

async function probeFrom(pod: string, endpoints: Endpoint[]): Promise<Record<string, boolean | string>> {
  return JSON.parse(await kubectl('exec', pod, '--', 'node', '-e', PROBE_SCRIPT, JSON.stringify(endpoints)))
}

/** Starts a pod that no policy selects, with an image that the nodes have. */
async function startProbePod(image: string): Promise<void> {
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
  const command = ['node', '-e', 'setInterval(() => {}, 1000)']
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: PROBE_POD },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ name: 'probe', image, command, securityContext }],
    },
  }
  const args = ['--namespace', target.namespace, 'apply', '--filename', '-']
  await run('kubectl', args, { input: JSON.stringify(pod) })
  await kubectl('wait', `pod/${PROBE_POD}`, '--for=condition=Ready', '--timeout=60s')
}

/** Checks from within the pods that every allowed connection is open and every other one closed. */
export async function networkPolicy({ figures, checks, errors }: Outcome): Promise<void> {
  const endpoints = await listEndpoints()
  const [gateway] = await listPods('gateway')
  await startProbePod(gateway?.spec.containers[0]?.image ?? '')
  let tried = 0
  try {
    for (const [from, allowed] of Object.entries(ALLOWED)) {
      const pod = from === PROBE_POD ? from : ((await listPods(from))[0]?.metadata.name ?? '')
      // No policy applies to connections to itself.
      const others = endpoints.filter(({ name }) => !name.startsWith(from))
      for (const [to, is] of Object.entries(await probeFrom(pod, others))) {
        tried += 1
        if (is !== allowed.includes(to)) errors.push(`from ${from} to ${to}: open is ${is}`)
      }
    }
  } finally {
    await kubectl('delete', 'pod', PROBE_POD, '--grace-period=0', '--force')
  }
  figures['connections tried'] = tried
  checks['allowed connections are open, all others closed'] = errors.length === 0
}
