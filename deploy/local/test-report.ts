import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './paths.ts'

/** What is read of vitest's JSON report, and of those that loads and attacks write in its form. */
export interface Report {
  numPassedTests: number
  numFailedTests: number
  numFailedTestSuites: number
  numPendingTests: number
  success: boolean
  /** By file; reports of loads have none. */
  testResults?: FileResult[]
}

export interface FileResult {
  name: string
  /** Why its set-up failed, or empty. */
  message: string
  status: string
  assertionResults: TestResult[]
}

interface TestResult {
  fullName: string
  status: string
  failureMessages: string[] | null
}

export const reportPath = (name: string) => join(root, '.data/test-results', `${name}.json`)

/** Null when the run did not finish. */
export async function readReport(name: string): Promise<Report | null> {
  const text = await readFile(reportPath(name), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Report)
}

export async function writeReport(name: string, report: Report): Promise<void> {
  await writeFile(reportPath(name), JSON.stringify(report))
}

export function failedFiles({ testResults = [] }: Report): string[] {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
}

/**
 * The report of a run whose failed files ran once more. What passed only then keeps the messages of its failure, as tests do that
 * vitest itself repeats.
 */
export function withSecondAttempt(first: Report, second: Report): Report {
  const repeated = new Map(second.testResults?.map((file) => [file.name, file]))
  const testResults = (first.testResults ?? []).map((file) => {
    const again = repeated.get(file.name)
    if (!again) return file
    const assertionResults = again.assertionResults.map((test) => withFailure(test, file))
    return { ...again, message: again.message || file.message, assertionResults }
  })
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const count = (...statuses: string[]) => tests.filter(({ status }) => statuses.includes(status)).length
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numFailedTestSuites: testResults.filter(({ status }) => status === 'failed').length,
    numPendingTests: tests.length - count('passed', 'failed'),
    success: second.success,
    testResults,
  }
}

function withFailure(test: TestResult, { assertionResults }: FileResult): TestResult {
  const before = assertionResults.find(({ fullName }) => fullName === test.fullName)
  if (before?.status !== 'failed') return test
  return { ...test, failureMessages: [...(before.failureMessages ?? []), ...(test.failureMessages ?? [])] }
}
