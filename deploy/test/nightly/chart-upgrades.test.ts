import { beforeAll, expect, test } from 'vitest'
import { findObject, type Manifest, render, toolPath, type Values } from '../../checks/chart/render.ts'

const evaluation = 'ci/evaluation-values.yaml'
const inline = 'ci/inline-values.yaml'

beforeAll(() => toolPath('helm'), 900_000)

const rendered = (values: Values = {}, file = evaluation) => render({ files: [file], values })

function selectors(manifests: Manifest[]): Record<string, unknown> {
  const workloads = manifests.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind))
  return Object.fromEntries(workloads.map(({ metadata, spec }) => [metadata.name, spec.selector.matchLabels]))
}

function job(manifests: Manifest[]): Manifest {
  const found = manifests.find(({ kind }) => kind === 'Job')
  if (!found) throw new Error('There is no Job')
  return found
}

function annotations(manifests: Manifest[], deployment: string): Record<string, string> {
  return findObject(manifests, 'Deployment', deployment).spec.template.metadata.annotations
}

test('selectors are name, instance and component, independent of values and tag', async () => {
  const before = selectors(await rendered())
  const after = selectors(
    await rendered({
      image: { tag: 'next' },
      componentDefaults: { podLabels: { team: 'photos' } },
      config: { LOG_LEVEL: 'debug' },
    }),
  )
  expect(after).toEqual(before)
  expect(before).toMatchObject({
    'sky-skyfolio-media-worker': {
      'app.kubernetes.io/name': 'skyfolio',
      'app.kubernetes.io/instance': 'sky',
      'app.kubernetes.io/component': 'media-worker',
    },
  })
  for (const selector of Object.values(before)) expect(Object.keys(selector as object)).toHaveLength(3)
})

test('a new tag creates a new migration Job, the same tag does not', async () => {
  const [one, again, next] = await Promise.all([
    rendered({ image: { tag: '1.0.0' } }),
    rendered({ image: { tag: '1.0.0' }, components: { gateway: { replicas: 5 } } }),
    rendered({ image: { tag: '1.0.1' } }),
  ])
  expect(job(again)).toEqual(job(one))
  expect(job(next).metadata.name).not.toBe(job(one).metadata.name)
})

test('pods restart when the configuration changes, and only then', async () => {
  const [before, same, after] = await Promise.all([
    rendered(),
    rendered({ service: { type: 'ClusterIP', nodePort: null } }),
    rendered({ config: { LOG_LEVEL: 'debug' } }),
  ])
  expect(annotations(same, 'sky-skyfolio-media')).toEqual(annotations(before, 'sky-skyfolio-media'))
  expect(annotations(after, 'sky-skyfolio-media')).not.toEqual(annotations(before, 'sky-skyfolio-media'))
})

test('an upgrade does not restart stores', async () => {
  const stores = async (tag: string) => {
    const manifests = await rendered({ image: { tag } })
    return manifests.filter(({ kind }) => kind === 'StatefulSet').map(({ spec }) => spec)
  }
  expect(await stores('1.0.1')).toEqual(await stores('1.0.0'))
})

const storeNames = ['minio', 'nats', 'postgresql', 'redis']

test('a store restarts only when an inline secret that it reads at start changes', async () => {
  const pods = async (secrets: Values) => {
    const manifests = await rendered({ secrets: { values: secrets } }, inline)
    return storeNames.map((store) => findObject(manifests, 'StatefulSet', `sky-skyfolio-${store}`).spec.template)
  }
  const before = await pods({})
  const changed = async (secrets: Values) => {
    const after = await pods(secrets)
    return storeNames.filter((_, index) => JSON.stringify(after[index]) !== JSON.stringify(before[index]))
  }
  expect(await changed({ 'identity-keys': 'x'.repeat(32) })).toEqual([])
  expect(await changed({ 's3-secret-key': 'an0ther-secret' })).toEqual(['minio'])
  expect(await changed({ 'nats-password': 'an0ther' })).toEqual(['nats'])
  expect(await changed({ 'redis-password': 'an0ther' })).toEqual(['redis'])
  // PostgreSQL reads the Secret only at its first start; then its volume holds the password.
  expect(await changed({ 'postgres-password': 'an0ther' })).toEqual([])
})

test('a hook has a fixed name, so that a failed one is replaced, and expires after a day', async () => {
  const hook = async (tag: string) => job(await rendered({ image: { tag } }, 'ci/placement-values.yaml'))
  const [one, next] = await Promise.all([hook('1.0.0'), hook('1.0.1')])
  expect([one.metadata.name, next.metadata.name]).toEqual(['photos-migrations', 'photos-migrations'])
  expect(one.metadata.annotations?.['helm.sh/hook-delete-policy']).toContain('before-hook-creation')
  expect(one.spec.ttlSecondsAfterFinished).toBe(86_400)
  expect(job(await rendered()).spec).not.toHaveProperty('ttlSecondsAfterFinished')
})
