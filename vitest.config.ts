import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { packages } from './deploy/components.ts'

/** All files share the servers that the global setup starts once. */
export default defineConfig({
  test: {
    include: packages().map((root) => `${root}/test/**/*.test.{ts,tsx}`),
    exclude: ['deploy/test/browser/**', '**/test/nightly/**'],
    // Real servers and real photos take time on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Tests wait for servers and timers for much of their time.
    maxWorkers: availableParallelism() + 1,
    globalSetup: './services/testkit/src/run/global-setup.ts',
  },
})
