import { describe, expect, test } from 'vitest'
import { failedFiles, type Report, withSecondAttempt } from '../local/test-report.ts'

type Steps = Record<string, 'passed' | 'failed' | 'skipped'>

const fileOf = (name: string, steps: Steps, attempt: string) => ({
  name,
  message: '',
  status: Object.values(steps).includes('failed') ? 'failed' : 'passed',
  assertionResults: Object.entries(steps).map(([fullName, status]) => {
    return { fullName, status, failureMessages: status === 'failed' ? [`failure of the ${attempt} attempt`] : [] }
  }),
})

function reportOf(attempt: string, files: Record<string, Steps>): Report {
  const testResults = Object.entries(files).map(([name, steps]) => fileOf(name, steps, attempt))
  const success = testResults.every(({ status }) => status === 'passed')
  return { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 0, numPendingTests: 0, success, testResults }
}

const FIRST = reportOf('first', {
  'orders.test.ts': { placed: 'passed', shown: 'failed', closed: 'skipped' },
  'votes.test.ts': { counted: 'passed' },
})

describe('the report of a run with a second attempt', () => {
  test('repeats the failed files only', () => {
    expect(failedFiles(FIRST)).toEqual(['orders.test.ts'])
  })

  test('passes when the second attempt does, and keeps what failed before', () => {
    const second = reportOf('second', { 'orders.test.ts': { placed: 'passed', shown: 'passed', closed: 'passed' } })
    const report = withSecondAttempt(FIRST, second)
    expect(report).toMatchObject({ numPassedTests: 4, numFailedTests: 0, numPendingTests: 0, success: true })
    const shown = report.testResults?.[0]?.assertionResults[1]
    expect(shown).toMatchObject({ status: 'passed', failureMessages: ['failure of the first attempt'] })
  })

  test('keeps why the set-up of a file failed', () => {
    const first = reportOf('first', { 'orders.test.ts': { placed: 'skipped' } })
    for (const file of first.testResults ?? []) Object.assign(file, { status: 'failed', message: 'no system' })
    const report = withSecondAttempt(first, reportOf('second', { 'orders.test.ts': { placed: 'passed' } }))
    expect(report).toMatchObject({ numPassedTests: 1, numPendingTests: 0, testResults: [{ message: 'no system' }] })
  })

  test('fails when a test failed again, and counts those that were skipped because of it', () => {
    const second = reportOf('second', { 'orders.test.ts': { placed: 'passed', shown: 'failed', closed: 'skipped' } })
    const report = withSecondAttempt(FIRST, second)
    expect(report).toMatchObject({ numPassedTests: 2, numFailedTests: 1, numPendingTests: 1, success: false })
    expect(report.testResults?.[0]?.assertionResults[1]?.failureMessages).toHaveLength(2)
  })
})
