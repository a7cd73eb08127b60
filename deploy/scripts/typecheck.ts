import { spawnSync } from 'node:child_process'
import { packages } from '../components.ts'
import { root } from '../local/paths.ts'
import { prepareDatabaseClients } from '../local/prepare.ts'

// `npm run typecheck`: checks one package after the other, and stops at the first with errors.
await prepareDatabaseClients()
for (const path of packages()) {
  const { error, status } = spawnSync('tsc', ['-p', path], { cwd: root, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
