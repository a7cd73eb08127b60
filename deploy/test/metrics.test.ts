import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { metricsFile, renderMetricsPage } from '../scripts/metrics.ts'

test('docs/metrics.md lists the metrics as they are in the code (npm run docs:metrics)', async () => {
  expect(await readFile(metricsFile, 'utf8')).toBe(renderMetricsPage())
})
