import { defineConfig } from 'vitest/config'

// The ways that users live by, in a real Chromium against the whole running system.
export default defineConfig({
  test: {
    include: ['deploy/test/browser/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
