import {
  checkBytes,
  checkRows,
  compareProjection,
  findRowsWithoutObject,
  type StoredData,
} from '../faults/consistency.ts'
import type { UploadReport } from '../faults/upload-load.ts'
import { groupByBallot } from '../load/ballots.ts'
import { checkShares, checkStandings } from '../load/check-votes.ts'
import { target, waitUntil } from './cluster.ts'
import type { LoadReport } from './loads.ts'
import type { Outcome } from './outcome.ts'
import { openStores } from './stores.ts'

/** Size of the random sample of ballots compared with the share page; all are compared with their rows. */
const SHARES_COMPARED = 500
const PROCESSED_TIMEOUT_SECONDS = 180

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(3)} %`

function describeResponses(responses: Map<string | number, number>): string {
  const sorted = [...responses].sort(([, a], [, b]) => b - a)
  return sorted.map(([response, count]) => `${count} × ${response}`).join(', ')
}

/** Counts responses to uploads that are neither a success nor the rejection of an invalid file. */
function failedUploads({ responses }: UploadReport): number {
  const failed = [...responses].filter(([response]) => !/^[24]\d\d$/.test(response) || response === '429')
  return failed.reduce((sum, [, count]) => sum + count, 0)
}

/** Judges what the clients of a load observed, and which part of their requests failed at first. */
function judgeClients(report: LoadReport, maxFailedPart: number): Outcome {
  const { votes, uploads, pages } = report
  const statuses = new Map<string, number>()
  for (const { status } of votes) {
    const response = status === 0 ? 'no response' : String(status)
    statuses.set(response, (statuses.get(response) ?? 0) + 1)
  }
  const unanswered = votes.filter(({ status }) => status === 0).length
  const failed = {
    votes: votes.length - (statuses.get('200') ?? 0),
    uploads: failedUploads(uploads),
    pages: pages.requests - (pages.responses.get('200') ?? 0),
  }
  const requestCount = votes.length + uploads.requests + pages.requests
  const all = failed.votes + failed.uploads + failed.pages
  const times = votes.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
  const quantile = (part: number) => times[Math.min(Math.floor(times.length * part), times.length - 1)] ?? 0
  return {
    figures: {
      'votes sent': `${votes.length}: ${describeResponses(statuses)}`,
      'response time of a vote': `median ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, max ${times.at(-1) ?? 0} ms`,
      'uploads sent': `${uploads.requests}: ${describeResponses(uploads.responses)}; ${uploads.acknowledged.length} photos acknowledged`,
      'pages requested': `${pages.requests}: ${describeResponses(pages.responses)}`,
      'requests failed at first': `${all} of ${requestCount} (${percent(all, requestCount)})`,
    },
    checks: {
      [maxFailedPart === 0 ? 'no request failed' : `at most ${100 * maxFailedPart} % of the requests failed at first`]:
        all <= maxFailedPart * requestCount,
      'failed requests can be retried: 503 with Retry-After, or no response':
        report.votesUnexpected <= unanswered && pages.errors.length === 0 && uploads.errors.length === 0,
      'every vote that was sent has an outcome': report.votesStarted === votes.length,
      'votes and uploads flowed': (statuses.get('200') ?? 0) > 0 && uploads.acknowledged.length > 0,
    },
    errors: [...uploads.errors, ...pages.errors],
  }
}

/** Checks every acknowledged vote against the share page, the standings and the rows. */
async function judgeVotes(
  { votes, seeded }: LoadReport,
  rows: Awaited<ReturnType<typeof openStores>>['rows'],
): Promise<Outcome> {
  const { url } = target
  const ballots = groupByBallot(votes)
  const codes = new Map(seeded.folders.map(({ id, code }) => [id, code]))
  const sample = ballots.toSorted(() => Math.random() - 0.5).slice(0, SHARES_COMPARED)
  const wrong = [...(await rows.wrongBallots(ballots)), ...(await checkShares(url, codes, sample))]
  const standings = await Promise.all([...codes.keys()].map((id) => checkStandings(url, seeded.owner, id)))
  const miscounted = [...(await rows.wrongTallies()), ...standings.flat()]
  return {
    figures: { 'ballots compared': `${ballots.length} with their rows, ${sample.length} with the share page` },
    checks: {
      'no acknowledged vote was lost': wrong.length === 0,
      'tallies and standings equal a recount': miscounted.length === 0,
    },
    errors: [...wrong, ...miscounted],
  }
}

/** Checks that every acknowledged photo is stored byte for byte, once, and processed. */
async function judgeUploads({ uploads }: LoadReport, evidence: StoredData): Promise<Outcome> {
  const users = new Set(uploads.acknowledged.map(({ userId }) => userId))
  const photos = async () => (await evidence.photos()).filter(({ userId }) => users.has(userId))
  const processed = await waitUntil('every photo is processed', PROCESSED_TIMEOUT_SECONDS, async () => {
    return (await photos()).every(({ status }) => status !== 'processing')
  })
  const settled = await photos()
  const lost = [
    ...checkRows(settled, uploads),
    ...findRowsWithoutObject(settled, await evidence.objectKeys()),
    ...(await checkBytes(target.url, settled, uploads.acknowledged)),
  ]
  const agreed = await waitUntil('the projection in folders matches media', PROCESSED_TIMEOUT_SECONDS, async () => {
    return compareProjection(await evidence.photos(), await evidence.projectedPhotos()).length === 0
  })
  return {
    figures: {
      'photos compared': `${settled.length}, byte for byte`,
      'the last photo is processed': `${processed.toFixed(1)} s after the load, the projection matches ${agreed.toFixed(1)} s later`,
    },
    checks: { 'no acknowledged photo is lost, duplicated or unprocessed': lost.length === 0 },
    errors: lost,
  }
}

/** Judges a load: at most this part of its requests failed at first, and nothing acknowledged is lost. */
export async function judgeLoad(report: LoadReport, maxFailedPart = 0): Promise<Outcome> {
  const stores = await openStores()
  try {
    return mergeOutcomes([
      judgeClients(report, maxFailedPart),
      await judgeVotes(report, stores.rows),
      await judgeUploads(report, stores.evidence),
    ])
  } finally {
    await stores.close()
  }
}

/** Merges outcomes in their order. */
export function mergeOutcomes(outcomes: Outcome[]): Outcome {
  return {
    figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)),
    checks: Object.assign({}, ...outcomes.map(({ checks }) => checks)),
    errors: outcomes.flatMap(({ errors }) => errors ?? []),
  }
}
