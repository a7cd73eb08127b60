import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { reportPath, root } from './paths.ts'

/** What is read of vitest's JSON report, and of those that loads and attacks write in its form. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  numFailedTestSuites: number
  numPendingTests: number
  success: boolean
  /** By file; reports of loads have none. */
  testResults?: FileResult[]
}

interface FileResult {
  name: string
  /** Why its set-up failed, or empty. */
  message: string
  assertionResults: { fullName: string; failureMessages: string[] | null }[]
}

// The last line of CI, from the JSON reports that the test runs, the loads and the attacks write. The checks of a load are its
// thresholds and that every acknowledged photo and vote is stored; those of the attacks are what must hold under each.
async function reportOf(name: string): Promise<Report> {
  const text = await readFile(reportPath(name), 'utf8').catch(() => null)
  if (text) return JSON.parse(text)
  console.log(`The report of the ${name} run is missing: the run did not finish.`)
  return { numPassedTests: 0, numFailedTests: 1, numFailedTestSuites: 0, numPendingTests: 0, success: false }
}

/** Printed at the end, since often only the end of a long log is kept. */
function printFailures(files: FileResult[]): void {
  for (const { name, message, assertionResults } of files) {
    const file = relative(root, name)
    if (message) console.log(`FAILED ${file}: ${message}`)
    for (const test of assertionResults.filter(({ failureMessages }) => failureMessages?.length)) {
      console.log(`FAILED ${file} > ${test.fullName}\n${test.failureMessages?.join('\n')}`)
    }
  }
}

const reports = await Promise.all(['unit', 'browser', 'load', 'load-votes', 'load-visits', 'attack'].map(reportOf))
const sum = (pick: (report: Report) => number) => reports.reduce((total, report) => total + pick(report), 0)
const suitesThatDidNotRun = reports.filter((report) => !report.success && report.numFailedTests === 0).length
for (const { testResults = [] } of reports) printFailures(testResults)
const skipped = sum((report) => report.numPendingTests)
if (skipped > 0) console.log(`${skipped} tests were skipped; in CI that counts as a failure.`)
const failed = sum((report) => report.numFailedTests) + suitesThatDidNotRun + skipped
console.log(`${sum((report) => report.numPassedTests)} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
