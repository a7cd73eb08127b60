import { beforeAll, expect, test } from 'vitest'
import { findObject, type Manifest, podsOf, render, toolPath } from '../../checks/chart/render.ts'
import { COMPONENTS, componentNames } from '../../components.ts'
import { environment, variablesOf } from './support.ts'

beforeAll(() => toolPath('helm'), 900_000)

const given = {
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authority/ca.crt' }],
  extraVolumes: [{ name: 'authority', configMap: { name: 'authority' } }],
  extraVolumeMounts: [{ name: 'authority', mountPath: '/etc/authority', readOnly: true }],
}

function jobPods(manifests: Manifest[]): Manifest {
  const job = podsOf(manifests).find(({ owner }) => owner.kind === 'Job')
  if (!job) throw new Error('There is no Job')
  return job.spec
}

/** Expects a container to have the mounted file and the variable. */
function expectAuthority(container: Manifest): void {
  expect(container.env, container.name).toContainEqual(given.extraEnv[0])
  expect(container.volumeMounts, container.name).toContainEqual(given.extraVolumeMounts[0])
}

test('everything that connects to PostgreSQL gets the CA certificate: services, their init containers, the Job', async () => {
  const manifests = await render({
    files: ['ci/external-values.yaml'],
    values: { componentDefaults: given, migrations: given },
  })
  for (const component of componentNames(COMPONENTS.filter(({ database }) => database))) {
    const { spec } = findObject(manifests, 'Deployment', `sky-skyfolio-${component}`).spec.template
    expect(spec.volumes).toContainEqual(given.extraVolumes[0])
    for (const container of [...spec.initContainers, ...spec.containers]) expectAuthority(container)
  }
  const spec = jobPods(manifests)
  expect(spec.volumes).toContainEqual(given.extraVolumes[0])
  expectAuthority(spec.containers[0])
})

test('migrations and KEDA go past a pooler, services through it', async () => {
  const postgresql = { directSecret: 'direct' }
  const manifests = await render({ files: ['ci/autoscaling-values.yaml'], values: { postgresql } })
  expect(environment(manifests, 'media').DATABASE_URL).toBe('skyfolio-postgresql media-url')
  expect(variablesOf(jobPods(manifests).containers[0])).toMatchObject({
    AUTH_DATABASE_URL: 'direct auth-url',
    PRINT_ORDERS_DATABASE_URL: 'direct print-orders-url',
  })
  const { spec } = findObject(manifests, 'TriggerAuthentication', 'sky-skyfolio-media-worker')
  expect(spec.secretTargetRef).toEqual([{ parameter: 'connection', name: 'direct', key: 'media-url' }])
})
