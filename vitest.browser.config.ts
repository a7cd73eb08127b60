import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const LOGS = 'deploy/test/browser/logs.test.ts'

// End-to-end user journeys in a real Chromium against the whole running system. The tests of a file are steps of one
// journey: after the first failure the others of its file are skipped.
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 300_000,
    globalSetup: './deploy/test/browser/global-setup.ts',
    setupFiles: './deploy/test/browser/journey-steps.ts',
    // A busy machine takes seconds to render a screen.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        // Journeys wait for pages and processing for much of their time. Each worker has a system with some 2 GB.
        test: {
          name: 'journeys',
          include: ['deploy/test/browser/**/*.test.ts'],
          exclude: [LOGS],
          maxWorkers: Math.min(availableParallelism() + 1, 3),
        },
      },
      {
        extends: true,
        // Reads the logs of all others.
        test: { name: 'logs', include: [LOGS], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
