import { relative } from 'node:path'
import { root } from './paths.ts'
import { type FileResult, type Report, readReport } from './test-report.ts'

// The last line of CI, from the JSON reports that the test runs, the loads and the attacks write. The checks of a load are its
// thresholds and that every acknowledged photo and vote is stored; those of the attacks are what must hold under each.
async function reportOf(name: string): Promise<Report> {
  const report = await readReport(name)
  if (report) return report
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
