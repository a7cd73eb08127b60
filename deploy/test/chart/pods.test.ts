import { beforeAll, describe, expect, test } from 'vitest'
import { listValuesFiles, type Manifest, podsOf, render, toolPath } from '../../checks/chart/render.ts'

beforeAll(() => toolPath('helm'), 900_000)

function containersOf(spec: Manifest): Manifest[] {
  return [...(spec.initContainers ?? []), ...spec.containers]
}

describe.each(await listValuesFiles())('with %s', async (file) => {
  const pods = podsOf(await render({ files: [file] }))
  const containers = pods.flatMap(({ owner, spec }) =>
    containersOf(spec).map((container) => ({
      what: `${owner.kind} ${owner.metadata.name}: ${container.name}`,
      container,
    })),
  )

  test('every pod meets the restricted Pod Security standard', () => {
    expect(pods.length).toBeGreaterThan(5)
    for (const { owner, spec } of pods) {
      expect(spec.securityContext, owner.metadata.name).toMatchObject({
        runAsNonRoot: true,
        runAsUser: expect.any(Number),
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(spec.securityContext.runAsUser, owner.metadata.name).toBeGreaterThan(0)
      expect(spec).not.toHaveProperty('hostNetwork')
      expect(spec).not.toHaveProperty('hostPID')
      const volumes: Manifest[] = spec.volumes ?? []
      expect(volumes.filter((volume) => 'hostPath' in volume)).toEqual([])
    }
    for (const { what, container } of containers) {
      expect(container.securityContext, what).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  test('no pod has the token of a service account or the addresses of other Services in its environment', () => {
    for (const { owner, spec } of pods) {
      expect(spec, owner.metadata.name).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
      })
    }
  })

  test('every image has an immutable tag or a digest', () => {
    for (const { what, container } of containers) {
      expect(container.image, what).toMatch(/(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/)
      expect(container.image, what).not.toMatch(/:latest$/)
    }
  })

  test('every container has requests and a memory limit', () => {
    for (const { what, container } of containers) {
      expect(container.resources, what).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      })
      expect(container.resources.limits, `${what}: a CPU limit only slows`).not.toHaveProperty('cpu')
    }
  })

  const ofComponents = pods.filter(({ metadata }) => metadata.labels?.['skyfolio/ops'])

  test('a component has separate startup, liveness and readiness probes, and liveness depends on nothing else', () => {
    for (const { owner, spec } of ofComponents) {
      const [main] = spec.containers
      expect(main.startupProbe.httpGet, owner.metadata.name).toEqual({ path: '/livez', port: 'ops' })
      expect(main.livenessProbe.httpGet, owner.metadata.name).toEqual({ path: '/livez', port: 'ops' })
      expect(main.readinessProbe.httpGet, owner.metadata.name).toEqual({ path: '/readyz', port: 'ops' })
    }
  })

  test('the termination grace period is longer than the preStop sleep', () => {
    for (const { owner, spec } of pods.filter(({ owner }) => owner.kind === 'Deployment')) {
      const sleep = spec.containers[0].lifecycle?.preStop.sleep.seconds ?? 0
      expect(spec.terminationGracePeriodSeconds, owner.metadata.name).toBeGreaterThanOrEqual(sleep + 30)
    }
  })

  test('pods are spread over nodes and zones', () => {
    for (const { owner, metadata, spec } of ofComponents) {
      const keys = spec.topologySpreadConstraints.map((constraint: Manifest) => constraint.topologyKey)
      expect(keys, owner.metadata.name).toEqual(['kubernetes.io/hostname', 'topology.kubernetes.io/zone'])
      for (const { labelSelector } of spec.topologySpreadConstraints) {
        expect(metadata.labels).toMatchObject(labelSelector.matchLabels)
      }
    }
  })
})
