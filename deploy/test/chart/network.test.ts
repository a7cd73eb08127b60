import { beforeAll, describe, expect, test } from 'vitest'
import { findObject, type Manifest, podsOf, render, toolPath, type Values } from '../../checks/chart/render.ts'
import { allowedConnections } from '../../checks/cluster/connections.ts'
import { CONTAINER_PORTS, componentNames } from '../../components.ts'

beforeAll(() => toolPath('helm'), 900_000)

const inside = { files: ['ci/evaluation-values.yaml'] }

interface Pod {
  name: string
  labels: Record<string, string>
  ports: { name: string; containerPort: number }[]
}

function policiesOf(manifests: Manifest[]): Manifest[] {
  return manifests.filter(({ kind }) => kind === 'NetworkPolicy')
}

/** The pods of components and stores, by the name of their component. */
function podsByName(manifests: Manifest[]): Pod[] {
  return podsOf(manifests).map(({ metadata, spec }) => ({
    name: metadata.labels?.['app.kubernetes.io/component'] ?? '',
    labels: metadata.labels ?? {},
    ports: spec.containers.flatMap((container: Manifest) => container.ports ?? []),
  }))
}

function selects(selector: Manifest | undefined, { labels }: Pod): boolean {
  return Object.entries(selector?.matchLabels ?? {}).every(([label, value]) => labels[label] === value)
}

/** Whether the rules of one direction allow connections to `port` of `target`; `peer` is the other end. */
function allows(rules: Manifest[], peer: Pod, target: Pod, port: number): boolean {
  return rules.some((rule) => {
    const peers: Manifest[] | undefined = rule.from ?? rule.to
    const ports: Manifest[] = rule.ports
    const numbers = ports.map((one) => target.ports.find(({ name }) => name === one.port)?.containerPort ?? one.port)
    return numbers.includes(port) && (!peers || peers.some((one) => one.podSelector && selects(one.podSelector, peer)))
  })
}

/** Applies NetworkPolicies as Kubernetes does: both ends must allow a connection, each by any policy that selects it. */
function connects(policies: Manifest[], from: Pod, to: Pod, port: number): boolean {
  const rules = (pod: Pod, direction: 'ingress' | 'egress') =>
    policies.filter(({ spec }) => selects(spec.podSelector, pod)).flatMap(({ spec }) => spec[direction] ?? [])
  return allows(rules(from, 'egress'), to, to, port) && allows(rules(to, 'ingress'), from, to, port)
}

/** All connections between pods of the release, each as `from > to:port`. */
function matrix(manifests: Manifest[]): string[] {
  const policies = policiesOf(manifests)
  const pods = podsByName(manifests)
  return pods
    .flatMap((from) =>
      pods.flatMap((to) =>
        to.ports
          .filter(({ containerPort }) => from !== to && connects(policies, from, to, containerPort))
          .map(({ containerPort }) => `${from.name} > ${to.name}:${containerPort}`),
      ),
    )
    .sort()
}

/** The connections to the addresses in each container's environment, in the same form. */
function addressed(manifests: Manifest[]): string[] {
  const found = podsOf(manifests).flatMap(({ metadata, spec }) => {
    const from = metadata.labels?.['app.kubernetes.io/component']
    const variables: Manifest[] = [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ env }) => env ?? [])
    // PRINT_IMAGE_ORIGIN is an address for the partner.
    return variables
      .filter(({ name }) => name !== 'PRINT_IMAGE_ORIGIN')
      .flatMap(({ value }) => {
        const [, to, port] = /\/\/(?:[^@/]*@)?sky-skyfolio-([a-z-]+)(?::(\d+))?/.exec(value ?? '') ?? []
        return to ? [`${from} > ${to}:${port && port !== '80' ? port : 8080}`] : []
      })
  })
  return [...new Set(found)].sort()
}

/** Ports of the stores and of mail; all others listen on `CONTAINER_PORTS.http`. */
const STORE_PORTS: Record<string, number> = { postgresql: 5432, redis: 6379, nats: 4222, minio: 9000, mailbox: 1025 }

test('pods of the release reach each other only as the list of components says', async () => {
  const others = { migrations: ['postgresql'], 'partner-sandbox': ['gateway'] }
  const expected = Object.entries({ ...allowedConnections(), ...others }).flatMap(([from, targets]) =>
    targets.map((to) => `${from} > ${to}:${STORE_PORTS[to] ?? CONTAINER_PORTS.http}`),
  )
  const manifests = await render(inside)
  expect(matrix(manifests).filter((line) => !line.startsWith('smoke-test >'))).toEqual(expected.sort())
})

test('every pod can reach what its environment names, and nothing else in the release', async () => {
  for (const files of [inside.files, ['ci/inline-values.yaml']]) {
    const manifests = await render({ files })
    expect(matrix(manifests)).toEqual(addressed(manifests))
  }
})

test('one policy denies all traffic of the pods of the release, and of no others', async () => {
  const { spec } = findObject(await render(inside), 'NetworkPolicy', 'sky-skyfolio-deny-all')
  expect(spec).toEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'skyfolio', 'app.kubernetes.io/instance': 'sky' } },
    policyTypes: ['Ingress', 'Egress'],
  })
})

test('only the gateway is reachable from outside', async () => {
  const open = policiesOf(await render(inside)).filter(({ spec }) => spec.ingress?.some((rule: Manifest) => !rule.from))
  expect(open.map(({ metadata }) => metadata.name)).toEqual(['sky-skyfolio-gateway'])
  expect(open[0]?.spec.ingress.filter((rule: Manifest) => !rule.from)).toEqual([
    { ports: [{ protocol: 'TCP', port: 'http' }] },
  ])
})

test('with gatewayFrom only those peers and the test pods reach the gateway', async () => {
  const manifests = await render({ files: ['ci/ingress-values.yaml'] })
  const [rule, ...others] = findObject(manifests, 'NetworkPolicy', 'sky-skyfolio-gateway').spec.ingress
  expect(rule.from).toMatchObject([
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
    { podSelector: { matchLabels: { 'app.kubernetes.io/component': 'smoke-test' } } },
  ])
  expect(others.map((other: Manifest) => other.ports)).toEqual([[{ protocol: 'TCP', port: 'ops' }]])
})

test('Prometheus reaches port 9090 of all components, and no store', async () => {
  const watched = policiesOf(await render(inside)).filter(({ spec }) =>
    spec.ingress?.some((rule: Manifest) => rule.ports.some(({ port }: Manifest) => port === 'ops')),
  )
  expect(watched.map(({ metadata }) => metadata.name.replace('sky-skyfolio-', ''))).toEqual(componentNames().sort())
})

describe('the network policies', () => {
  const external = async (values: Values = {}) => render({ files: ['ci/external-values.yaml'], values })
  const outgoing = (manifests: Manifest[], component: string) => {
    const rules: Manifest[] = findObject(manifests, 'NetworkPolicy', `sky-skyfolio-${component}`).spec.egress
    return rules.map((rule) => rule.ports.map(({ protocol, port }: Manifest) => `${protocol} ${port}`).join(' '))
  }

  test('let a component reach DNS, its stores and nothing else', async () => {
    const manifests = await external()
    const dns = 'UDP 53 TCP 53'
    expect(outgoing(manifests, 'media')).toEqual([dns, 'TCP 5432', 'TCP 6379 TCP 26379', 'TCP 4222', 'TCP 443'])
    expect(outgoing(manifests, 'folders')).toEqual([dns, 'TCP 5432', 'TCP 4222'])
    expect(outgoing(manifests, 'gateway').slice(-2)).toEqual(['TCP 6379 TCP 26379', 'TCP 4222'])
    expect(outgoing(manifests, 'migrations')).toEqual([dns, 'TCP 5432'])
  })

  test('let all components reach the trace collector', async () => {
    const manifests = await external({ config: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' } })
    for (const component of componentNames()) {
      expect(outgoing(manifests, component).at(-1), component).toBe('TCP 4318')
    }
  })

  const partner = { productionUrl: 'https://partner.example', existingSecret: 'skyfolio-partner' }

  test('let only the components that use the print partner reach it, on the ports of its URLs', async () => {
    const without = await external()
    const manifests = await external({ partner: { ...partner, sandboxUrl: 'https://sandbox.example:8443' } })
    for (const component of componentNames()) {
      const added = outgoing(manifests, component).slice(outgoing(without, component).length)
      expect(added, component).toEqual(component.startsWith('print-orders') ? ['TCP 8443 TCP 443'] : [])
    }
  })

  const mail = { from: 'Skyfolio <no-reply@photos.example>' }

  test('let only the components that send mail reach the mail server, on the port of its URL', async () => {
    const without = await external()
    const ports = async (values: Values) => {
      const manifests = await external(values)
      const added = (component: string) => outgoing(manifests, component).slice(outgoing(without, component).length)
      for (const component of componentNames().filter((name) => !name.startsWith('auth')))
        expect(added(component), component).toEqual([])
      expect(added('auth')).toEqual(added('auth-worker'))
      return added('auth-worker')
    }
    expect(await ports({ mail: { ...mail, url: 'smtp://relay.example' } })).toEqual(['TCP 587'])
    expect(await ports({ mail: { ...mail, url: 'smtps://relay.example' } })).toEqual(['TCP 465'])
    expect(await ports({ mail: { ...mail, url: 'smtp://relay.example:2525' } })).toEqual(['TCP 2525'])
    const secret = { ...mail, existingSecret: 'mail' }
    expect(await ports({ mail: secret })).toEqual(['TCP 465 TCP 587'])
    const networkPolicy = { external: { mail: { ports: [2587] } } }
    expect(await ports({ mail: secret, networkPolicy })).toEqual(['TCP 2587'])
  })
})

test.each(['job', 'hook', 'none'])(
  'the migration Job can reach its database in a release with mode %s',
  async (mode) => {
    const manifests = await render({ files: ['ci/external-values.yaml'], values: { migrations: { mode } } })
    expect(findObject(manifests, 'NetworkPolicy', 'sky-skyfolio-migrations').spec.egress).toContainEqual({
      ports: [{ protocol: 'TCP', port: 5432 }],
    })
  },
)

test('one value disables all policies', async () => {
  expect(policiesOf(await render({ files: ['ci/placement-values.yaml'] }))).toEqual([])
})
