import { beforeAll, describe, expect, test } from 'vitest'
import { findObject, type Manifest, render, toolPath, type Values } from '../../checks/chart/render.ts'

beforeAll(() => toolPath('helm'), 900_000)

describe('Ingress', () => {
  const ingress = async (values: Values = {}): Promise<Manifest> =>
    findObject(await render({ files: ['ci/ingress-values.yaml'], values }), 'Ingress', 'sky-skyfolio')

  test('leads all paths to the gateway, with TLS', async () => {
    const { spec } = await ingress()
    const service = { name: 'sky-skyfolio-gateway', port: { name: 'http' } }
    expect(spec).toEqual({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['photos.example'], secretName: 'photos-example-tls' }],
      rules: [{ host: 'photos.example', http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service } }] } }],
    })
  })

  test('lets nginx accept large uploads, not buffer, and wait long', async () => {
    const { annotations } = (await ingress()).metadata
    const prefix = 'nginx.ingress.kubernetes.io'
    expect(annotations).toMatchObject({
      [`${prefix}/proxy-request-buffering`]: 'off',
      [`${prefix}/proxy-buffering`]: 'off',
      [`${prefix}/proxy-read-timeout`]: '3600',
      [`${prefix}/proxy-send-timeout`]: '3600',
    })
    // The gateway's own limit, so that nginx rejects nothing that the gateway accepts.
    const gatewayMegabytes = (10 + 1) * 150
    expect(Number.parseInt(annotations?.[`${prefix}/proxy-body-size`] ?? '', 10)).toBeGreaterThan(gatewayMegabytes)
  })

  test.each(['nginx-org', 'haproxy', 'alb'])('lets %s wait long too', async (controller) => {
    const { annotations } = (await ingress({ ingress: { controller } })).metadata
    expect(JSON.stringify(annotations)).toContain('3600')
  })

  test('has neither TLS nor a port in its host for an http origin with a port', async () => {
    const { spec } = await ingress({ publicOrigin: 'http://photos.example:8080' })
    expect(spec).not.toHaveProperty('tls')
    expect(spec.rules[0].host).toBe('photos.example')
  })
})

test('an HTTPRoute sets no timeout for uploads and live events', async () => {
  const { spec } = findObject(await render({ files: ['ci/httproute-values.yaml'] }), 'HTTPRoute', 'sky-skyfolio')
  expect(spec).toEqual({
    parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
    hostnames: ['photos.example'],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/' } }],
        timeouts: { request: '0s', backendRequest: '0s' },
        backendRefs: [{ name: 'sky-skyfolio-gateway', port: 80 }],
      },
    ],
  })
})

test('no public Service has the operator port', async () => {
  const services = (await render({ files: ['ci/observability-values.yaml'] })).filter(({ kind }) => kind === 'Service')
  const withOps = services.filter(({ spec }) => spec.ports.some(({ targetPort }: Manifest) => targetPort === 'ops'))
  expect(withOps.map(({ metadata, spec }) => [metadata.name, spec.clusterIP])).toEqual([['sky-skyfolio-ops', 'None']])
})
