import { beforeAll, expect, test } from 'vitest'
import { findObject, type Manifest, render, toolPath, type Values } from '../../checks/chart/render.ts'
import { COMPONENTS, componentNames } from '../../components.ts'

beforeAll(() => toolPath('helm'), 900_000)

const evaluation = (values: Values = {}) => render({ files: ['ci/evaluation-values.yaml'], values })
const production = (values: Values = {}) => render({ files: ['ci/external-values.yaml'], values })

function pod(manifests: Manifest[], component: string): Manifest {
  return findObject(manifests, 'Deployment', `sky-skyfolio-${component}`).spec.template.spec
}

/** Plain values by name, and the Secret's name and key for the others. */
function environment(manifests: Manifest[], component: string): Record<string, string> {
  const variables: Manifest[] = pod(manifests, component).containers[0].env
  return Object.fromEntries(
    variables.map(({ name, value, valueFrom }) => {
      const { name: secret, key } = valueFrom?.secretKeyRef ?? {}
      return [name, value ?? `${secret} ${key}`]
    }),
  )
}

test('without the partner printing is not configured, and no sandbox runs', async () => {
  const manifests = await production()
  const names = Object.keys(environment(manifests, 'print-orders'))
  expect(names.filter((name) => /_(URL|KEY|ID|ORIGIN)$/.test(name) && name.startsWith('P'))).toEqual([])
  expect(manifests.filter(({ metadata }) => metadata.name.endsWith('partner-sandbox'))).toEqual([])
})

test('service and worker get addresses, limits and the Secret of the partner', async () => {
  const manifests = await production({
    partner: {
      sandboxUrl: 'https://sandbox.example',
      productionUrl: 'https://partner.example',
      existingSecret: 'partner',
      keys: { apiKey: 'key' },
      imageOrigin: 'https://images.example',
      timeoutMs: 5000,
    },
  })
  for (const component of ['print-orders', 'print-orders-worker']) {
    expect(environment(manifests, component)).toMatchObject({
      PARTNER_SANDBOX_URL: 'https://sandbox.example',
      PARTNER_PRODUCTION_URL: 'https://partner.example',
      PARTNER_API_KEY: 'partner key',
      PARTNER_AFFILIATE_ID: 'partner affiliate-id',
      PARTNER_TIMEOUT_MS: '5000',
      PRINT_IMAGE_ORIGIN: 'https://images.example',
    })
  }
  for (const component of componentNames(COMPONENTS.filter(({ uses }) => !uses.includes('partner'))))
    expect(Object.keys(environment(manifests, component)).filter((name) => name.startsWith('PARTNER'))).toEqual([])
})

test('a pod gets a part of the limits that fits the most pods of service and worker, also during an upgrade', async () => {
  const processes = async (values: Values) => environment(await production(values), 'print-orders').PARTNER_PROCESSES
  expect(await processes({})).toBe('6')
  const components = {
    'print-orders': { autoscaling: { enabled: true, max: 5 } },
    'print-orders-worker': { replicas: 1 },
  }
  expect(await processes({ components })).toBe('8')
})

test('in an evaluation the sandbox accepts the credentials and serves the address that print-orders has', async () => {
  const manifests = await evaluation()
  const orders = environment(manifests, 'print-orders')
  const sandbox = environment(manifests, 'partner-sandbox')
  expect(orders.PARTNER_SANDBOX_URL).toBe('http://sky-skyfolio-partner-sandbox:8080')
  expect(findObject(manifests, 'Service', 'sky-skyfolio-partner-sandbox').spec.ports).toMatchObject([
    { name: 'http', port: Number(sandbox.PORT) },
    { name: 'control', port: Number(sandbox.CONTROL_PORT) },
  ])
  expect([sandbox.SANDBOX_API_KEY, sandbox.SANDBOX_AFFILIATE_ID]).toEqual([
    orders.PARTNER_API_KEY,
    orders.PARTNER_AFFILIATE_ID,
  ])
  expect(sandbox.IMAGE_ORIGIN).toBe(orders.PRINT_IMAGE_ORIGIN)
  expect(pod(manifests, 'partner-sandbox').containers[0].image).toBe('skyfolio/partner-sandbox:dev')
})

test('the page and the control API of the sandbox require a key of the Secret', async () => {
  expect(environment(await evaluation(), 'partner-sandbox').CONTROL_KEY).toBe('skyfolio-secrets page-key')
})

test('the sandbox fetches images from the port of the gateway', async () => {
  const manifests = await evaluation({ components: { gateway: { servicePort: 8080 } } })
  expect(environment(manifests, 'partner-sandbox').IMAGE_ORIGIN).toBe('http://sky-skyfolio-gateway:8080')
})

test('only media gets the keys that sign images', async () => {
  const manifests = await evaluation()
  expect(environment(manifests, 'media').PRINT_IMAGE_KEYS).toBe('skyfolio-secrets print-image-keys')
  for (const component of componentNames().filter((name) => name !== 'media'))
    expect(environment(manifests, component)).not.toHaveProperty('PRINT_IMAGE_KEYS')
})

test('only media and folders get the keys of share links', async () => {
  const manifests = await evaluation()
  const given = componentNames().filter((name) => 'LINK_KEYS' in environment(manifests, name))
  expect(given).toEqual(['media', 'folders'])
  for (const name of given) expect(environment(manifests, name).LINK_KEYS).toBe('skyfolio-secrets link-keys')
})

test('terms and privacy policy are files of a ConfigMap in the gateway, each one optional', async () => {
  const manifests = await production({ legal: { existingConfigMap: 'texts', keys: { privacy: '' } } })
  const spec = pod(manifests, 'gateway')
  expect(environment(manifests, 'gateway').TERMS_FILE).toBe('/legal/terms')
  expect(environment(manifests, 'gateway')).not.toHaveProperty('PRIVACY_FILE')
  expect(spec.volumes).toContainEqual({
    name: 'legal',
    configMap: { name: 'texts', items: [{ key: 'terms.txt', path: 'terms' }] },
  })
  expect(spec.containers[0].volumeMounts).toContainEqual({ name: 'legal', mountPath: '/legal', readOnly: true })
  for (const component of ['auth', 'media'])
    expect(pod(manifests, component).volumes.map(({ name }: Manifest) => name)).toEqual(['tmp'])
  expect(environment(await production(), 'gateway')).not.toHaveProperty('TERMS_FILE')
})
