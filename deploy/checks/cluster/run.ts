import { parseArgs } from 'node:util'
import { type Outcome, runTest, type TestOptions } from './outcome.ts'
import { databaseOutage } from './tests/database-outage.ts'
import { helmTest, install } from './tests/install.ts'
import { networkPolicy } from './tests/network-policy.ts'
import { publishedStore } from './tests/published-store.ts'
import { drain, scale, upgrade } from './tests/under-load.ts'
import { uninstall } from './tests/uninstall.ts'

// `npm run check -- cluster:test install|helm-test|network-policy|published-store|upgrade|scale|drain|database-outage|uninstall|all`:
// tests the chart on the cluster that KUBECONFIG names, with `kubectl` and `helm`. `all` runs one after the other. Each
// prints figures and exits with code 1 when a check fails. Environment variables: see cluster.ts.
const tests: Record<string, (outcome: Outcome, options: TestOptions) => Promise<void>> = {
  install,
  'helm-test': helmTest,
  'network-policy': networkPolicy,
  'published-store': publishedStore,
  upgrade,
  scale,
  drain,
  'database-outage': databaseOutage,
  uninstall,
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Duration of the load; every test has its own default.
    seconds: { type: 'string' },
    rate: { type: 'string', default: '80' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const options: TestOptions = {
  rate: Number(flags.rate),
  seed: Number(flags.seed),
  ...(flags.seconds && { seconds: Number(flags.seconds) }),
}
const names = positionals.join() === 'all' ? Object.keys(tests) : positionals
const unknown = names.filter((name) => !tests[name])
if (names.length === 0 || unknown.length > 0) {
  console.error(
    `Usage: npm run check -- cluster:test ${Object.keys(tests).join('|')}|all [--seconds N --rate N --seed N]`,
  )
  process.exit(2)
}
for (const name of names) {
  console.log(`\n${new Date().toISOString()} ${name}, seed ${options.seed}`)
  await runTest(name, async (outcome) => tests[name]?.(outcome, options))
}
process.exit()
