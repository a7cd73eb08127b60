import { beforeAll, expect, test } from 'vitest'
import { findObject, render, toolPath } from '../../checks/chart/render.ts'
import { componentNames } from '../../components.ts'

beforeAll(() => toolPath('helm'), 900_000)

const files = ['ci/autoscaling-values.yaml']

test('leaves the replicas of a component to its autoscaler', async () => {
  const manifests = await render({ files })
  for (const name of componentNames()) {
    const { replicas } = findObject(manifests, 'Deployment', `sky-skyfolio-${name}`).spec
    expect(replicas, name).toBe(['gateway', 'folders', 'media-worker'].includes(name) ? undefined : 2)
  }
})

test("the worker scales by waiting photos, which KEDA reads with the worker's Secret", async () => {
  const manifests = await render({ files })
  const { spec } = findObject(manifests, 'ScaledObject', 'sky-skyfolio-media-worker')
  expect(spec).toMatchObject({
    minReplicaCount: 2,
    maxReplicaCount: 12,
    scaleTargetRef: { name: 'sky-skyfolio-media-worker' },
  })
  expect(findObject(manifests, 'TriggerAuthentication', spec.triggers[0].authenticationRef.name).spec).toEqual({
    secretTargetRef: [{ parameter: 'connection', name: 'skyfolio-postgresql', key: 'media-url' }],
  })
})

test('KEDA reaches a PostgreSQL that the chart deploys', async () => {
  const manifests = await render({ files: ['ci/inline-values.yaml'] })
  const [trigger] = findObject(manifests, 'ScaledObject', 'sky-skyfolio-media-worker').spec.triggers
  expect(trigger.metadata).toMatchObject({
    host: 'sky-skyfolio-postgresql.photos.svc',
    port: '5432',
    dbName: 'skyfolio_media',
  })
  const [rule] = findObject(manifests, 'NetworkPolicy', 'sky-skyfolio-postgresql').spec.ingress
  expect(rule.from).toContainEqual({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'keda' } } })
})

test('a single pod does not keep its node from being drained', async () => {
  const budgets = (await render({ files: ['ci/evaluation-values.yaml'] })).filter(
    ({ kind }) => kind === 'PodDisruptionBudget',
  )
  expect(budgets.map(({ spec }) => spec.maxUnavailable)).toEqual(componentNames().map(() => 1))
})
