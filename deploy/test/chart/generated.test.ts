import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generatedFiles } from '../../checks/chart/generate.ts'
import { CHART_DIRECTORY, findObject, type Manifest, render, toolPath } from '../../checks/chart/render.ts'
import { readValues } from '../../checks/chart/values.ts'
import { valuesSchema } from '../../checks/chart/values-schema.ts'
import { COMPONENTS } from '../../components.ts'

beforeAll(() => toolPath('helm'), 900_000)

test.each([...(await generatedFiles())])('%s is current (npm run generate)', async (path, text) => {
  expect(await readFile(join(CHART_DIRECTORY, path), 'utf8')).toBe(text)
})

describe('for Prometheus and Grafana', async () => {
  const manifests = await render({ files: ['ci/observability-values.yaml'] })

  test('every alert has a summary, a severity and a runbook', () => {
    const { spec } = findObject(manifests, 'PrometheusRule', 'sky-skyfolio')
    const alerts: Manifest[] = spec.groups
      .flatMap(({ rules }: Manifest) => rules)
      .filter(({ alert }: Manifest) => alert)
    expect(alerts.length).toBeGreaterThan(5)
    for (const { alert, annotations, labels } of alerts) {
      expect(annotations.summary, alert).toBeTruthy()
      expect(annotations.runbook_url, alert).toMatch(/^https:\/\/git\.example\/skyfolio\/docs\/runbooks\.md#\w+$/)
      expect(labels.severity, alert).toBeTruthy()
    }
  })

  test("alerts keep Prometheus's own template expressions", async () => {
    const files = ['ci/observability-values.yaml']
    const plain = await render({ files, values: { prometheusRule: { runbooks: '' } } })
    const source = parse(await readFile(join(CHART_DIRECTORY, 'files/alerts.yaml'), 'utf8'))
    expect(findObject(plain, 'PrometheusRule', 'sky-skyfolio').spec).toEqual(source)
  })

  test("the dashboard is in a ConfigMap with the sidecar's label", () => {
    const { data, metadata } = findObject(manifests, 'ConfigMap', 'sky-skyfolio-dashboard-overview')
    expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' })
    expect(JSON.parse(data['overview.json']).panels.length).toBeGreaterThan(5)
  })

  test('the ServiceMonitor selects the Service of the operator ports, which selects the pods of all components', () => {
    const monitor = findObject(manifests, 'ServiceMonitor', 'sky-skyfolio')
    const service = findObject(manifests, 'Service', 'sky-skyfolio-ops')
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    expect(deployments).toHaveLength(COMPONENTS.length)
    for (const { spec } of deployments) expect(spec.template.metadata.labels).toMatchObject(service.spec.selector)
  })
})

describe('the schema of the values', () => {
  const text = `
# -- Its colour.
# @schema {enum: [red, blue]}
colour: red
# A section.
box:
  size: 3
  # -- Peers.
  to: []
componentDefaults: { replicas: 2 }
components: {}
`

  test('takes types from defaults and comments, and rejects other keys', () => {
    expect(valuesSchema(readValues(text))).toMatchObject({
      additionalProperties: false,
      properties: {
        colour: { description: 'Its colour.', enum: ['red', 'blue'] },
        box: {
          description: 'A section.',
          properties: { size: { type: 'integer' }, to: { type: 'array', description: 'Peers.' } },
          additionalProperties: false,
        },
        components: { additionalProperties: { $ref: '#/definitions/component' } },
      },
    })
  })

  test('rejects a value without a known type', () => {
    expect(() => valuesSchema(readValues(`${text}port: null\n`))).toThrow(/port is null/)
  })
})
