import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { packages } from './deploy/components.ts'

/** They change or compare what belongs to a whole process: its metrics, traces and memory. */
const OWN_PROCESS = [
  'deploy/test/metrics.test.ts',
  'services/kit/test/metrics.test.ts',
  'services/kit/test/server.test.ts',
  'services/media/test/base-map.test.ts',
  'services/media/test/places.test.ts',
  'services/print-orders/test/partner-traces.test.ts',
]

export default defineConfig({
  test: {
    // Real servers and real photos take time on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Tests wait for servers and timers for much of their time.
    maxWorkers: availableParallelism() + 1,
    // All files share the servers that it starts.
    globalSetup: './services/testkit/src/run/global-setup.ts',
    projects: [
      {
        extends: true,
        // The files that a process runs one after another share its modules, which take a second or more to load.
        test: {
          name: 'shared-process',
          isolate: false,
          include: packages().map((root) => `${root}/test/**/*.test.{ts,tsx}`),
          exclude: ['deploy/test/browser/**', '**/test/nightly/**', ...OWN_PROCESS],
        },
      },
      { extends: true, test: { name: 'own-process', include: OWN_PROCESS } },
    ],
  },
})
