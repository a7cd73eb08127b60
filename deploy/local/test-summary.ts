import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { root } from './paths.ts'

// The last line of CI, from the JSON reports that the test runs, the loads and the attacks write. The checks of a load are its
// thresholds and that every acknowledged photo and vote is stored; those of the attacks are what must hold under each.
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
  message: string
  status: string
  assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[]
}

async function readReport(name: string): Promise<Report> {
  const text = await readFile(join(root, '.data/test-results', `${name}.json`), 'utf8').catch(() => null)
  if (text) return JSON.parse(text) as Report
  console.log(`The report of the ${name} run is missing: the run did not finish.`)
  return { numPassedTests: 0, numFailedTests: 1, numFailedTestSuites: 0, numPendingTests: 0, success: false }
}

/** Printed at the end, since often only the end of a long log is kept. */
function printFailures(files: FileResult[]): void {
  for (const { name, message, status, assertionResults } of files) {
    const file = relative(root, name)
    if (status === 'failed' && message) console.log(`FAILED ${file}: ${message}`)
    for (const test of assertionResults.filter(({ failureMessages }) => failureMessages?.length)) {
      const outcome = test.status === 'passed' ? 'PASSED ONLY IN THE SECOND ATTEMPT' : 'FAILED'
      console.log(`${outcome} ${file} > ${test.fullName}\n${test.failureMessages?.join('\n')}`)
    }
  }
}

const reports = await Promise.all(['unit', 'browser', 'load', 'load-votes', 'load-visits', 'attack'].map(readReport))
const sum = (pick: (report: Report) => number) => reports.reduce((total, report) => total + pick(report), 0)
const suitesThatDidNotRun = reports.filter((report) => !report.success && report.numFailedTests === 0).length
for (const { testResults = [] } of reports) printFailures(testResults)
const skipped = sum((report) => report.numPendingTests)
if (skipped > 0) console.log(`${skipped} tests were skipped; in CI that counts as a failure.`)
const failed = sum((report) => report.numFailedTests) + suitesThatDidNotRun + skipped
console.log(`${sum((report) => report.numPassedTests)} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
