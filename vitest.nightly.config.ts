import { defineConfig } from 'vitest/config'

// What is too slow, or needs too much of a machine, for every change.
export default defineConfig({
  test: {
    include: ['services/*/test/nightly/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    globalSetup: './services/testkit/src/run/global-setup.ts',
  },
})
