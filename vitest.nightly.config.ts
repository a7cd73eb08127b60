import { defineConfig } from 'vitest/config'

// Tests that are too slow, or need too much memory or CPU, to run for every change.
export default defineConfig({
  test: {
    include: ['{services/*,gateway,deploy}/test/nightly/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    globalSetup: './services/testkit/src/run/global-setup.ts',
  },
})
