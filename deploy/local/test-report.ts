import { readFile } from 'node:fs/promises'
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
  assertionResults: { fullName: string; failureMessages: string[] | null }[]
}

export const reportPath = (name: string) => join(root, '.data/test-results', `${name}.json`)

/** Null when the run did not finish. */
export async function readReport(name: string): Promise<Report | null> {
  const text = await readFile(reportPath(name), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Report)
}
