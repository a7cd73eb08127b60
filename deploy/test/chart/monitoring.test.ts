import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { CHART_DIRECTORY, findObject, type Manifest, render, toolPath } from '../../checks/chart/render.ts'
import { COMPONENTS } from '../../components.ts'

beforeAll(() => toolPath('helm'), 900_000)

describe('the chart with monitoring', async () => {
  const manifests = await render({ files: ['ci/observability-values.yaml'] })

  test('gives every alert a summary, a severity and a runbook', () => {
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

  test("keeps Prometheus's own template expressions in alerts", async () => {
    const files = ['ci/observability-values.yaml']
    const plain = await render({ files, values: { prometheusRule: { runbooks: '' } } })
    const source = parse(await readFile(join(CHART_DIRECTORY, 'files/alerts.yaml'), 'utf8'))
    expect(findObject(plain, 'PrometheusRule', 'sky-skyfolio').spec).toEqual(source)
  })

  test("puts the dashboard into a ConfigMap with the sidecar's label", () => {
    const { data, metadata } = findObject(manifests, 'ConfigMap', 'sky-skyfolio-dashboard-overview')
    expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' })
    expect(JSON.parse(data['overview.json']).panels.length).toBeGreaterThan(5)
  })

  test('selects the pods of all components by the Service of the operator ports', () => {
    const monitor = findObject(manifests, 'ServiceMonitor', 'sky-skyfolio')
    const service = findObject(manifests, 'Service', 'sky-skyfolio-ops')
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    expect(deployments).toHaveLength(COMPONENTS.length)
    for (const { spec } of deployments) expect(spec.template.metadata.labels).toMatchObject(service.spec.selector)
  })
})
