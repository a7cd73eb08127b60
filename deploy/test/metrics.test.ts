import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { panelQueries, readDashboard } from './dashboard.ts'

const read = (path: string) => readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

test('the panels and alerts use metrics of docs/metrics.md, with the labels that these have', async () => {
  const rows = [...(await read('docs/metrics.md')).matchAll(/^\| `(skyfolio_\w+)` +\| (\w+) +\| ([^|]*)\|/gm)]
  const labelsOf = new Map(rows.map(([, name = '', , labels = '']) => [name, all(labels, /`(\w+)`/g)]))
  const typeOf = new Map(rows.map(([, name = '', type]) => [name, type]))
  const alerts = all(await read('deploy/observability/alerts.yaml'), /^ +expr: '(.+)'$/gm)
  const queries = [...(await panelQueries()), ...alerts.map((expr) => ({ expr, legendFormat: '' }))]
  expect(queries.length).toBeGreaterThan(40)
  for (const { expr, legendFormat } of queries) {
    const names = all(expr, /\b(skyfolio_\w+)/g).map((name) =>
      typeOf.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
    )
    const known = new Set([
      'component',
      'namespace',
      'job',
      'instance',
      'le',
      ...names.flatMap((name) => labelsOf.get(name) ?? []),
    ])
    const used = [
      ...all(expr, /[{,] ?(\w+)(?:!=|=~|!~|=)/g),
      ...all(expr, /\b(?:by|on) \(([^)]+)\)/g).flatMap((list) => list.split(', ')),
      ...all(legendFormat, /\{\{(\w+)\}\}/g),
    ]
    expect([names.filter((name) => !typeOf.has(name)), used.filter((label) => !known.has(label))], expr).toEqual([
      [],
      [],
    ])
  }
})

test('each alert has a severity, an existing runbook, and a test case in which it fires', async () => {
  const alerts = await read('deploy/observability/alerts.yaml')
  const names = all(alerts, /^ +- alert: (\w+)$/gm)
  expect(names.length).toBeGreaterThan(10)
  expect(all(alerts, /^ +severity: (critical|warning)$/gm)).toHaveLength(names.length)
  expect(all(alerts, /^ +for: (\d+m)$/gm)).toHaveLength(names.length)
  expect(all(alerts, /^ +runbook_url: docs\/runbooks.md#(\w+)$/gm)).toEqual(names.map((name) => name.toLowerCase()))
  expect(all(await read('docs/runbooks.md'), /^## (\w+)$/gm)).toEqual(names)
  const cases = all(await read('deploy/observability/alerts.test.yaml'), /ALERTS\{alertname="(\w+)"/g)
  expect([...new Set(cases)]).toEqual(names)
})

test('the runbooks name existing panels and settings', async () => {
  const runbooks = await read('docs/runbooks.md')
  const titles = (await readDashboard()).panels.map(({ title }) => title)
  const panels = all(runbooks, /(?<!\w)\*([A-Z][^*]+)\*/g).map((title) => title.replaceAll(/\s+/g, ' '))
  expect(panels.length).toBeGreaterThan(10)
  expect(panels.filter((panel) => !titles.some((title) => title.startsWith(panel)))).toEqual([])
  const settings = all(await read('docs/configuration.md'), /^\| `(\w+)`/gm)
  expect(all(runbooks, /`([A-Z]+_[A-Z_]+)`/g).filter((name) => !settings.includes(name))).toEqual([])
})
