import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { httpComponents, openApiDocument } from '../components.ts'
import { root } from '../local/paths.ts'
import { prepareDatabaseClients } from '../local/prepare.ts'
import { publicApiFile } from './public-api.ts'

// `npm run generate`: writes all committed files that are generated. `-- --check` exits with 1 when they
// differ from those that are staged or committed.

const http = httpComponents()
const documents = http.map((component) => `${component.name}=${openApiDocument(component)}`)
const STEPS = [
  ['npm', 'run', '--silent', 'generate', '-w', 'proto'],
  ...http.map(({ workspace }) => ['npm', 'run', '--silent', 'openapi', '-w', workspace]),
  ['node', 'deploy/scripts/public-api.ts'],
  ['npm', 'run', '--silent', 'generate:api', '-w', 'web', '--', ...documents],
  ['node', 'deploy/scripts/configuration.ts'],
  ['node', 'deploy/scripts/metrics.ts'],
  ['node', 'deploy/checks/chart/generate.ts'],
]
/** The files and folders that they write. */
const GENERATED = [
  'proto/src/generated',
  ...http.map(openApiDocument),
  publicApiFile,
  'web/src/api/generated',
  'docs/configuration.md',
  'docs/metrics.md',
  'helm/skyfolio',
]

const { values: flags } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
await prepareDatabaseClients()
for (const [command = '', ...args] of STEPS) run(command, args)
if (flags.check) {
  run('git', ['diff', '--exit-code', '--', ...GENERATED])
  const listing = ['ls-files', '--others', '--exclude-standard', '--', ...GENERATED]
  const untracked = spawnSync('git', listing, { cwd: root, encoding: 'utf8' }).stdout
  if (untracked) console.error(`Generated and not committed:\n${untracked}`)
  if (untracked) process.exitCode = 1
}

/** Runs a command of the checkout; exits with its code when it fails. */
function run(command: string, args: string[]): void {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
