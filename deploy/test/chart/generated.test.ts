import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generatedFiles } from '../../checks/chart/generate.ts'
import { CHART_DIRECTORY, findObject, type Manifest, render, toolPath } from '../../checks/chart/render.ts'
import { readValues } from '../../checks/chart/values.ts'
import { valuesSchema } from '../../checks/chart/values-schema.ts'

beforeAll(() => toolPath('helm'), 900_000)

test.each([...(await generatedFiles())])('%s is as its source has it (npm run generate)', async (path, text) => {
  expect(await readFile(join(CHART_DIRECTORY, path), 'utf8')).toBe(text)
})

describe('for Prometheus and Grafana', async () => {
  const manifests = await render({ files: ['ci/observability-values.yaml'] })

  test('every alert says what is wrong, how urgent it is and where to read on', () => {
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

  test('alerts reach the cluster as they are written, with what Prometheus fills in', async () => {
    const files = ['ci/observability-values.yaml']
    const plain = await render({ files, values: { prometheusRule: { runbooks: '' } } })
    const source = parse(await readFile(join(CHART_DIRECTORY, 'files/alerts.yaml'), 'utf8'))
    expect(findObject(plain, 'PrometheusRule', 'sky-skyfolio').spec).toEqual(source)
  })

  test('the dashboard is in a ConfigMap that the sidecar finds', () => {
    const { data, metadata } = findObject(manifests, 'ConfigMap', 'sky-skyfolio-dashboard-overview')
    expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' })
    expect(JSON.parse(data['overview.json']).panels.length).toBeGreaterThan(5)
  })

  test('the ServiceMonitor finds the Service of the operators ports, which finds the pods of all components', () => {
    const monitor = findObject(manifests, 'ServiceMonitor', 'sky-skyfolio')
    const service = findObject(manifests, 'Service', 'sky-skyfolio-ops')
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    expect(deployments).toHaveLength(5)
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

  test('has types from defaults, what comments say, and refuses other keys', () => {
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

  test('is not made where a value may be anything', () => {
    expect(() => valuesSchema(readValues(`${text}port: null\n`))).toThrow(/port is null/)
  })
})
