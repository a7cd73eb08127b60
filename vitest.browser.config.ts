import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LAST = '/logs.test.ts'

/** Runs the test of the logs after those whose logs it reads. */
class LogsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLast = ({ moduleId }: TestSpecification) => moduleId.endsWith(LAST)
    return [...sorted.filter((file) => !isLast(file)), ...sorted.filter(isLast)]
  }
}

// End-to-end user journeys in a real Chromium against the whole running system. The tests of a file are steps of one
// journey, so the first failure ends it.
export default defineConfig({
  test: {
    include: ['deploy/test/browser/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    globalSetup: './deploy/test/browser/logs.ts',
    sequence: { sequencer: LogsLast },
    fileParallelism: false,
    bail: 1,
    // A busy machine takes seconds to render a screen.
    expect: { poll: { timeout: 20_000 } },
  },
})
