import { defineConfig } from 'vitest/config'

/** One project for each package; all of them share the servers that the global setup starts once. */
const packages = [
  'proto',
  'services/kit',
  'services/testkit',
  'services/auth',
  'services/media',
  'services/folders',
  'gateway',
  'web',
  'deploy',
]

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One test that met bad luck does not end CI, but its closing lines name it with what went wrong: it is to be mended.
    retry: process.env.CI ? 1 : 0,
    globalSetup: './services/testkit/src/run/global-setup.ts',
    projects: packages.map((root) => ({
      extends: true as const,
      test: {
        name: root,
        include: [`${root}/test/**/*.test.{ts,tsx}`],
        exclude: ['deploy/test/browser/**', '**/test/nightly/**'],
      },
    })),
  },
})
