import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OBSERVABILITY_DIRECTORY } from './prometheus.ts'

export interface Target {
  refId: string
  expr: string
  legendFormat: string
}

export interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: Target[]
}

interface Variable {
  name: string
  type: string
  allValue?: string
  query: string | { query: string }
}

export interface Dashboard {
  uid: string
  title: string
  panels: Panel[]
  templating: { list: Variable[] }
}

export async function readDashboard(): Promise<Dashboard> {
  return JSON.parse(await readFile(join(OBSERVABILITY_DIRECTORY, 'dashboards/overview.json'), 'utf8'))
}

/** Resolves a query as Grafana does with all variables set to "All". */
export function resolveVariables(expression: string, { templating }: Dashboard): string {
  const all = templating.list.reduce(
    (text, { name, allValue }) => text.replaceAll(`$${name}`, allValue ?? name),
    expression.replaceAll('$__rate_interval', '30s'),
  )
  if (all.includes('$')) throw new Error(`Unknown variable: ${all}`)
  return all
}
