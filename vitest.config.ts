import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { packages } from './deploy/components.ts'

/** One project for each package; all of them share the servers that the global setup starts once. */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // CI runs a failed test once more, and its last lines name it with the failure: it must be fixed.
    retry: process.env.CI ? 1 : 0,
    // Tests wait for servers and timers for much of their time: on two CPUs two files at once, where vitest would run one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: './services/testkit/src/run/global-setup.ts',
    projects: packages().map((root) => ({
      extends: true as const,
      test: {
        name: root,
        include: [`${root}/test/**/*.test.{ts,tsx}`],
        exclude: ['deploy/test/browser/**', '**/test/nightly/**'],
      },
    })),
  },
})
