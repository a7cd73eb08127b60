import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { COMPONENTS, type ComponentList, httpComponents, openApiDocument } from '../components.ts'
import { root } from '../local/paths.ts'
import { prepareDatabaseClients } from '../local/prepare.ts'
import { publicApiFile } from './public-api.ts'

// `npm run generate`: writes all committed files that are generated. `-- --check` exits with 1 when that changes any.

if (import.meta.main) await main()

/** The commands that generate files, in order. */
export function generateSteps(list: ComponentList = COMPONENTS): string[][] {
  const http = httpComponents(list)
  const documents = http.map((component) => `${component.name}=${openApiDocument(component)}`)
  return [
    ['npm', 'run', '--silent', 'generate', '-w', 'proto'],
    ...http.map(({ workspace }) => ['npm', 'run', '--silent', 'openapi', '-w', workspace]),
    ['node', 'deploy/scripts/public-api.ts'],
    ['npm', 'run', '--silent', 'generate:api', '-w', 'web', '--', ...documents],
    ['node', 'deploy/scripts/configuration.ts'],
    ['node', 'deploy/scripts/metrics.ts'],
    ['node', 'deploy/scripts/backup-databases.ts'],
    ['node', 'deploy/checks/chart/generate.ts'],
  ]
}

/** The files and folders that they write. */
export function generatedPaths(list: ComponentList = COMPONENTS): string[] {
  return [
    'proto/src/generated',
    ...httpComponents(list).map(openApiDocument),
    publicApiFile,
    'web/src/api/generated',
    'docs/configuration.md',
    'docs/metrics.md',
    'deploy/backup/databases.sh',
    'helm/skyfolio',
  ]
}

async function main(): Promise<void> {
  const { values: flags } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
  await prepareDatabaseClients()
  for (const [command = '', ...args] of generateSteps()) run(command, args)
  if (!flags.check) return
  run('git', ['diff', '--exit-code', '--', ...generatedPaths()])
  const untracked = spawnSync('git', ['ls-files', '--others', '--exclude-standard', '--', ...generatedPaths()], {
    cwd: root,
    encoding: 'utf8',
  }).stdout
  if (!untracked) return
  console.error(`Generated and not committed:\n${untracked}`)
  process.exit(1)
}

/** Runs a command of the checkout; exits with its code when it fails. */
function run(command: string, args: string[]): void {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
