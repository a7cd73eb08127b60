import { beforeAll, describe, expect, test } from 'vitest'
import { findObject, type Manifest, render, toolPath, type Values } from '../../checks/chart/render.ts'
import { COMPONENTS } from '../../components.ts'

beforeAll(() => toolPath('helm'), 900_000)

const published = (values: Values = {}) => render({ files: ['ci/published-store-values.yaml'], values })
const external = (objectStore: Values = {}) =>
  render({ files: ['ci/external-values.yaml'], values: { objectStore, publicOrigin: 'https://photos.example' } })

const endpoint = { publicEndpoint: 'https://s3.eu-central-1.amazonaws.com' }

/** The variables of a component's container whose names match, by name. */
function variables(manifests: Manifest[], component: string, names: RegExp): Record<string, unknown> {
  const [container] = findObject(manifests, 'Deployment', `sky-skyfolio-${component}`).spec.template.spec.containers
  const own: Manifest[] = container.env.filter(({ name }: { name: string }) => names.test(name))
  return Object.fromEntries(own.map(({ name, value, valueFrom }) => [name, value ?? valueFrom.secretKeyRef]))
}

const PUBLIC = /^S3_(PUBLIC_ENDPOINT|UPLOAD_|STS_)/

describe('the address of the store for browsers', () => {
  test('is known to the gateway and to media, and to nobody without it', async () => {
    const names = COMPONENTS.map(({ name }) => name)
    const manifests = await external(endpoint)
    const given = names.filter((name) => 'S3_PUBLIC_ENDPOINT' in variables(manifests, name, PUBLIC))
    expect(given).toEqual(['gateway', 'media'])
    const without = await external()
    expect(names.flatMap((name) => Object.keys(variables(without, name, PUBLIC)))).toEqual([])
  })

  test('comes with the key of uploads or with temporary credentials, for media alone', async () => {
    const manifests = await external({
      ...endpoint,
      uploadSecret: 'skyfolio-uploads',
      stsEndpoint: 'https://sts.example:8443',
      uploadRoleArn: 'arn:aws:iam::1:role/uploads',
    })
    expect(variables(manifests, 'media', PUBLIC)).toEqual({
      S3_PUBLIC_ENDPOINT: endpoint.publicEndpoint,
      S3_UPLOAD_ACCESS_KEY: { name: 'skyfolio-uploads', key: 's3-access-key' },
      S3_UPLOAD_SECRET_KEY: { name: 'skyfolio-uploads', key: 's3-secret-key' },
      S3_STS_ENDPOINT: 'https://sts.example:8443',
      S3_UPLOAD_ROLE_ARN: 'arn:aws:iam::1:role/uploads',
    })
    expect(Object.keys(variables(manifests, 'gateway', PUBLIC))).toEqual(['S3_PUBLIC_ENDPOINT'])
    const { egress } = findObject(manifests, 'NetworkPolicy', 'sky-skyfolio-media').spec
    expect(egress).toContainEqual({ ports: [443, 8443].map((port) => ({ protocol: 'TCP', port })) })
  })
})

describe("the chart's own store", () => {
  const ingressOf = (manifests: Manifest[]): Manifest[] =>
    findObject(manifests, 'NetworkPolicy', 'sky-skyfolio-minio').spec.ingress
  const evaluation = (values: Values = {}) => render({ files: ['ci/evaluation-values.yaml'], values })
  const byNodePort = {
    publicEndpoint: 'http://127.0.0.1:30090',
    publish: { enabled: true, service: { type: 'NodePort', nodePort: 30090 } },
  }

  test('is reachable by its components alone unless it is published', async () => {
    const manifests = await evaluation()
    expect(ingressOf(manifests)).toHaveLength(1)
    expect(ingressOf(manifests)[0]?.from).not.toHaveLength(0)
    expect(findObject(manifests, 'Service', 'sky-skyfolio-minio').spec).not.toHaveProperty('type')
  })

  test('once published is reachable at its one port by those who reach the gateway', async () => {
    const ports = [{ protocol: 'TCP', port: 9000 }]
    const ingressNginx = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }
    expect(ingressOf(await published()).slice(1)).toEqual([{ ports, from: [ingressNginx] }])
    expect(ingressOf(await evaluation({ objectStore: byNodePort })).slice(1)).toEqual([{ ports }])
  })

  test('shows the paths of uploads and nothing else to an Ingress controller', async () => {
    const { spec, metadata } = findObject(await published(), 'Ingress', 'sky-skyfolio-minio')
    const service = { name: 'sky-skyfolio-minio', port: { name: 's3' } }
    const path = { path: '/skyfolio/originals', pathType: 'Prefix', backend: { service } }
    expect(spec).toEqual({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['store.photos.example'], secretName: 'store-photos-example-tls' }],
      rules: [{ host: 'store.photos.example', http: { paths: [path] } }],
    })
    expect(metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-body-size': '33m',
      'nginx.ingress.kubernetes.io/proxy-request-buffering': 'off',
    })
  })

  test('takes parts and preflight requests from a Gateway and nothing else', async () => {
    const httpRoute = { enabled: true, parentRefs: [{ name: 'public' }] }
    const manifests = await published({ objectStore: { publish: { httpRoute, ingress: { enabled: false } } } })
    const { spec } = findObject(manifests, 'HTTPRoute', 'sky-skyfolio-minio')
    const path = { type: 'PathPrefix', value: '/skyfolio/originals' }
    expect(spec).toMatchObject({
      hostnames: ['store.photos.example'],
      rules: [
        {
          matches: [
            { method: 'PUT', path },
            { method: 'OPTIONS', path },
          ],
          backendRefs: [{ name: 'sky-skyfolio-minio', port: 9000 }],
        },
      ],
    })
    expect(manifests.filter(({ kind }) => kind === 'Ingress').map(({ metadata }) => metadata.name)).toEqual([
      'sky-skyfolio',
    ])
  })

  test('keeps uploads in parts a day longer than their sessions, and takes requests of our pages only', async () => {
    const settings = async (manifests: Promise<Manifest[]>) => {
      const { containers } = findObject(await manifests, 'StatefulSet', 'sky-skyfolio-minio').spec.template.spec
      return containers[0].env.filter(({ name }: { name: string }) => name.startsWith('MINIO_API_'))
    }
    expect(await settings(evaluation())).toEqual([
      { name: 'MINIO_API_STALE_UPLOADS_EXPIRY', value: '192h' },
      { name: 'MINIO_API_CORS_ALLOW_ORIGIN', value: 'http://127.0.0.1:30080' },
    ])
  })
})
