import { defineConfig } from 'vitest/config'

// The ways that users live by, in a real Chromium against the whole running system. The tests of a file are steps
// of one way, so the first failure ends it.
export default defineConfig({
  test: {
    include: ['deploy/test/browser/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    bail: 1,
    // A busy machine draws a screen in seconds.
    expect: { poll: { timeout: 20_000 } },
  },
})
