import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../local/paths.ts'

interface Target {
  expr: string
  legendFormat: string
}

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: Target[]
}

interface Dashboard {
  panels: Panel[]
  templating: { list: { name: string; type: string; allValue?: string }[] }
}

export async function readDashboard(): Promise<Dashboard> {
  return JSON.parse(await readFile(join(root, 'deploy/observability/dashboards/overview.json'), 'utf8'))
}

/** The queries of all panels as Grafana sends them with all variables set to "All". */
export async function panelQueries(): Promise<Target[]> {
  const { panels, templating } = await readDashboard()
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      legendFormat,
      expr: templating.list.reduce(
        (text, { name, allValue }) => text.replaceAll(`$${name}`, allValue ?? name),
        expr.replaceAll('$__rate_interval', '30s'),
      ),
    })),
  )
}
