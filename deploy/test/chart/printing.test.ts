import { beforeAll, expect, test } from 'vitest'
import { findObject, type Manifest, render, toolPath, type Values } from '../../checks/chart/render.ts'
import { COMPONENTS, componentNames } from '../../components.ts'
import { environment } from './support.ts'

beforeAll(() => toolPath('helm'), 900_000)

const evaluation = (values: Values = {}) => render({ files: ['ci/evaluation-values.yaml'], values })
const production = (values: Values = {}) => render({ files: ['ci/external-values.yaml'], values })

function pod(manifests: Manifest[], component: string): Manifest {
  return findObject(manifests, 'Deployment', `sky-skyfolio-${component}`).spec.template.spec
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
  expect(sandbox.CONTROL_KEY).toBe('skyfolio-secrets page-key')
  expect(pod(manifests, 'partner-sandbox').containers[0].image).toBe('skyfolio/partner-sandbox:dev')
})

test.each([
  ['PRINT_IMAGE_KEYS', ['media']],
  ['LINK_KEYS', ['media', 'folders']],
  ['CONTROL_KEY', []],
])('%s is known to %o alone of the components', async (key, components) => {
  const manifests = await evaluation()
  expect(componentNames().filter((name) => key in environment(manifests, name))).toEqual(components)
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

test('other maps are a JSON list in the gateway', async () => {
  const layers = [
    { name: 'Hills & dales', url: 'https://tiles.example/{z}/{x}/{y}.png', attribution: '©', maxZoom: 17 },
  ]
  const manifests = await production({ map: { layers } })
  expect(JSON.parse(environment(manifests, 'gateway').MAP_LAYERS ?? '')).toEqual(layers)
  expect(environment(await production(), 'gateway')).not.toHaveProperty('MAP_LAYERS')
})

test('archives of the base map are those of media', async () => {
  const map = { detailFile: 'store:maps/region-1.pmtiles', file: '/maps/planet.pmtiles' }
  const manifests = await production({ map })
  expect(environment(manifests, 'media')).toMatchObject({
    BASE_MAP_DETAIL_FILE: map.detailFile,
    BASE_MAP_FILE: map.file,
  })
  expect(environment(manifests, 'media-worker')).not.toHaveProperty('BASE_MAP_FILE')
  expect(environment(await production(), 'media')).not.toHaveProperty('BASE_MAP_DETAIL_FILE')
})
