import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { componentNames } from '../../components.ts'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { metricsFile } from '../../scripts/metrics.ts'
import { type Dashboard, readDashboard, resolveVariables, type Target } from './grafana-dashboard.ts'
import { type Prometheus, runPromtool, type Series, startPrometheus } from './prometheus.ts'
import { startTraffic, type Traffic } from './traffic.ts'

const components = componentNames()

interface Rule {
  name: string
  query: string
  health: string
  lastError?: string
}

let dataDir: string
let system: LaunchedSystem
let prometheus: Prometheus
let use: Traffic
const dashboard = await readDashboard()
const targets = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map((target) => ({ ...target, name: `${title} (${target.refId})` })),
)

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-metrics-'))
  system = await launchSystem(dataDir)
  const { env } = await system.state()
  const ports = components.map((component) => [component, Number(env[component]?.OPS_PORT)])
  prometheus = await startPrometheus(Object.fromEntries(ports))
  use = await startTraffic(system.url)
})

afterAll(async () => {
  await use?.stop()
  await prometheus?.stop()
  await system?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

describe('a system under load with a Prometheus that scrapes it', () => {
  test('every process is scraped and names its component', async () => {
    await waitFor(async () => (await prometheus.query('up == 1')).length === components.length, { what: 'all targets' })
    const seen = await waitFor(async () => enough(await prometheus.query('skyfolio_build_info'), components.length), {
      what: 'builds',
    })
    expect(seen.map(({ metric }) => `${metric.job} ${metric.component}`).sort()).toEqual(
      components.map((component) => `${component} ${component}`).sort(),
    )
  })

  test.each(targets)('panel $name has data under the labels of its legend', async (target) => {
    const series = await waitFor(() => dataOf(target, dashboard), { what: target.expr, timeoutMs: 90_000 })
    for (const [, label = ''] of target.legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      expect(series.every(({ metric }) => metric[label])).toBe(true)
    }
  })

  test('every alert is evaluated, and its metrics exist', async () => {
    const rules = await waitFor(evaluatedRules, { what: 'all rules are evaluated' })
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    const known = new Set(await prometheus.api<string[]>('label/__name__/values'))
    // This counter has no series as long as every metric could be read.
    known.add('skyfolio_metrics_unread_total')
    const used = rules.flatMap(({ query }) => query.match(/\b(skyfolio|process|nodejs)_\w+/g) ?? ['up'])
    expect(used.length).toBeGreaterThanOrEqual(rules.length)
    expect(used.filter((name) => !known.has(name))).toEqual([])
  })

  test('the processes export the metrics in docs/metrics.md, and no other skyfolio_ metric', async () => {
    const page = await readFile(metricsFile, 'utf8')
    const listed = [...page.matchAll(/^\| `(skyfolio_\w+)`/gm)].map(([, name]) => name)
    const described = Object.keys(await prometheus.api<object>('metadata')).filter((name) =>
      name.startsWith('skyfolio_'),
    )
    expect(described.sort()).toEqual(listed)
  })

  test('no metric has many series', async () => {
    const perMetric = await prometheus.query('topk(1, count by (__name__, job) ({__name__=~"skyfolio_.+"}))')
    expect(Number(perMetric[0]?.value[1])).toBeLessThan(500)
  })
})

test('each alert fires in its case, and none in a healthy system', async () => {
  await runPromtool('check', 'config', 'prometheus.yml')
  await runPromtool('test', 'rules', 'alerts.test.yaml')
})

async function dataOf({ expr }: Target, of: Dashboard): Promise<Series[] | null> {
  const series = await prometheus.query(resolveVariables(expr, of))
  return series.some(({ value }) => Number.isFinite(Number(value[1]))) ? series : null
}

/** Returns all alert rules, or null until each has been evaluated. */
async function evaluatedRules(): Promise<Rule[] | null> {
  const { groups } = await prometheus.api<{ groups: { rules: Rule[] }[] }>('rules')
  const rules = groups.flatMap((group) => group.rules)
  return rules.every(({ health }) => health !== 'unknown') ? rules : null
}

function enough<T>(found: T[], count: number): T[] | null {
  return found.length >= count ? found : null
}
