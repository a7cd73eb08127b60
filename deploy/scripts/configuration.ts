import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describeSettings, type SettingDescription } from '@skyfolio/kit'
import { settings as gateway } from '../../gateway/src/config.ts'
import { settings as auth } from '../../services/auth/src/config.ts'
import { settings as folders } from '../../services/folders/src/config.ts'
import { apiSettings as media, workerSettings as mediaWorker } from '../../services/media/src/config.ts'
import { table } from './table.ts'

const processes = { gateway, auth, media, 'media worker': mediaWorker, folders }
const root = fileURLToPath(new URL('../../', import.meta.url))

/** The file that `npm run docs:config` writes. */
export const configurationFile = `${root}docs/configuration.md`

const head = `# Configuration

Every process reads its settings from environment variables when it starts; a missing or wrong one stops the start with a
message that lists all problems. \`npm start\` sets all of them for one machine. This page is made from the code by
\`npm run docs:config\`.

Traces are sent where OpenTelemetry's own variables say: \`OTEL_EXPORTER_OTLP_ENDPOINT\` turns them on, the other
\`OTEL_EXPORTER_OTLP_*\` refine it.
`

interface Row extends SettingDescription {
  usedBy: string[]
}

function collect(): Row[] {
  const rows = new Map<string, Row>()
  for (const [process, settings] of Object.entries(processes)) {
    for (const described of describeSettings(settings)) {
      const row = rows.get(described.name) ?? { ...described, usedBy: [] }
      const differs = row.describe !== described.describe || row.default !== described.default
      if (differs) throw new Error(`${described.name} means one thing to ${row.usedBy[0]} and another to ${process}`)
      row.usedBy.push(process)
      rows.set(described.name, row)
    }
  }
  return [...rows.values()]
}

function defaultOf(row: Row): string {
  if (row.required) return 'required'
  return row.default ? `\`${row.default.replace(root, '')}\`` : ''
}

function cells(row: Row): string[] {
  const usedBy = row.usedBy.length === Object.keys(processes).length ? 'all' : row.usedBy.join(', ')
  return [`\`${row.name}\``, defaultOf(row), row.describe.replaceAll('|', '\\|'), usedBy]
}

/** The documentation of every setting of every process, as Markdown. */
export function renderConfiguration(): string {
  return `${head}\n${table(['variable', 'default', 'meaning', 'read by'], collect().map(cells))}\n`
}

if (import.meta.main) await writeFile(configurationFile, renderConfiguration())
