import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../local/paths.ts'
import { panelQueries } from '../dashboard.ts'

// What needs the programs of Prometheus, which are fetched like Chromium.
const run = promisify(execFile)
const directory = join(root, 'deploy/observability')
const { stdout } = await run(join(directory, 'fetch-prometheus.sh'))

/** Runs promtool in the directory of the rules. @throws with its output */
const promtool = (...args: string[]) => run(join(stdout.trim(), 'promtool'), args, { cwd: directory })

test('fires each alert in its case, and none in a healthy system', async () => {
  await promtool('check', 'config', 'prometheus.yml')
  await promtool('test', 'rules', 'alerts.test.yaml')
})

test('has valid queries in all panels of the dashboard', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-queries-'))
  const rules = (await panelQueries()).map(({ expr }, index) => ({ record: `panel_${index}`, expr }))
  expect(rules.length).toBeGreaterThan(20)
  // JSON is valid YAML.
  await writeFile(join(folder, 'rules.json'), JSON.stringify({ groups: [{ name: 'panels', rules }] }))
  await promtool('check', 'rules', join(folder, 'rules.json'))
  await rm(folder, { recursive: true })
})
