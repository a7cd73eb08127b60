import { writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describeSettings, type SettingDescription } from '@skyfolio/kit'
import { COMPONENTS, type Component } from '../components.ts'
import { table } from './table.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

// `npm run generate`: writes the documentation of every setting of every component, as Markdown.

const HEAD = `# Configuration

Every process reads its settings from environment variables at start; a missing or invalid one ends the process with a message
that lists all problems. \`npm start\` sets all of them for one machine. This page is generated from the code by
\`npm run generate\`.

Traces are exported as OpenTelemetry's own variables say: \`OTEL_EXPORTER_OTLP_ENDPOINT\` enables it, the other
\`OTEL_EXPORTER_OTLP_*\` variables configure it.
`

await writeFile(`${root}docs/configuration.md`, await renderConfiguration())

async function renderConfiguration(): Promise<string> {
  const rows = (await collectRows()).map(cells)
  return `${HEAD}\n${table(['variable', 'default', 'meaning', 'read by'], rows)}\n`
}

interface Row extends SettingDescription {
  usedBy: string[]
}

async function collectRows(): Promise<Row[]> {
  const rows = new Map<string, Row>()
  for (const component of COMPONENTS) {
    for (const described of describeSettings(await settingsOf(component))) {
      const row = rows.get(described.name) ?? { ...described, usedBy: [] }
      const differs = row.describe !== described.describe || row.default !== described.default
      if (differs) throw new Error(`${described.name} differs between ${row.usedBy[0]} and ${component.name}`)
      row.usedBy.push(component.name)
      rows.set(described.name, row)
    }
  }
  return [...rows.values()]
}

type Settings = Parameters<typeof describeSettings>[0]

async function settingsOf({ name, settings }: Component): Promise<Settings> {
  const module: Record<string, Settings> = await import(pathToFileURL(`${root}${settings.module}`).href)
  const found = module[settings.name]
  if (!found)
    throw new Error(`${settings.module} has no export ${settings.name}, which deploy/components.ts names for ${name}`)
  return found
}

function cells(row: Row): string[] {
  const usedBy = row.usedBy.length === COMPONENTS.length ? 'all' : row.usedBy.join(', ')
  return [`\`${row.name}\``, defaultOf(row), row.describe.replaceAll('|', '\\|'), usedBy]
}

function defaultOf(row: Row): string {
  if (row.required) return 'required'
  return row.default ? `\`${row.default.replace(root, '')}\`` : ''
}
