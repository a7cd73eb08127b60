import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readValues } from './values.ts'
import { valuesSchema } from './values-schema.ts'
import { valuesTable } from './values-table.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const OBSERVABILITY_DIRECTORY = join(root, 'deploy/observability')

/** The chart's directory. */
export const CHART_DIRECTORY = join(root, 'helm/skyfolio')

/** The chart's generated files by path in the chart: schema and README of its values, alerts, dashboards. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const values = readValues(await readFile(join(CHART_DIRECTORY, 'values.yaml'), 'utf8'))
  const readme = await readFile(join(CHART_DIRECTORY, 'README.md'), 'utf8')
  const [head, tail] = [readme.split('<!-- values -->')[0], readme.split('<!-- end of values -->')[1]]
  if (head === undefined || tail === undefined) throw new Error('README.md has no markers for the values')
  const files = new Map([
    ['values.schema.json', `${JSON.stringify(valuesSchema(values), null, 2)}\n`],
    ['README.md', `${head}<!-- values -->\n\n${valuesTable(values)}\n\n<!-- end of values -->${tail}`],
    ['files/alerts.yaml', await readFile(join(OBSERVABILITY_DIRECTORY, 'alerts.yaml'), 'utf8')],
  ])
  for (const name of await readdir(join(OBSERVABILITY_DIRECTORY, 'dashboards'))) {
    files.set(`files/dashboards/${name}`, await readFile(join(OBSERVABILITY_DIRECTORY, 'dashboards', name), 'utf8'))
  }
  return files
}

if (import.meta.main) {
  await rm(join(CHART_DIRECTORY, 'files/dashboards'), { recursive: true, force: true })
  await mkdir(join(CHART_DIRECTORY, 'files/dashboards'), { recursive: true })
  for (const [path, text] of await generatedFiles()) await writeFile(join(CHART_DIRECTORY, path), text)
}
