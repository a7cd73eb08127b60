import { checkBytes, checkRows, type Evidence, projectionDiffers, rowsWithoutObject } from '../faults/checks.ts'
import type { Report } from '../faults/load.ts'
import { byBallot } from '../load/ballots.ts'
import { checkShares, checkStandings } from '../load/votes-check.ts'
import { target, until } from './cluster.ts'
import { openStores } from './evidence.ts'
import type { Outcome } from './figures.ts'
import type { LoadReport } from './loads.ts'

/** Ballots that are asked for through the share page too; all are compared with their rows. */
const sharesAsked = 500
const processedSeconds = 180

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(3)} %`

function told(answers: Map<string | number, number>): string {
  const sorted = [...answers].sort(([, a], [, b]) => b - a)
  return sorted.map(([answer, count]) => `${count} × ${answer}`).join(', ')
}

/** Answers to uploads that are neither a success nor the refusal of a file that is no photo. */
function failedUploads({ answers }: Report): number {
  const failed = [...answers].filter(([answer]) => !/^[24]\d\d$/.test(answer) || answer === '429')
  return failed.reduce((sum, [, count]) => sum + count, 0)
}

/** What the clients of a load saw, and how much of what they begun failed at first. */
export function judgeClients(report: LoadReport, mostFailed: number): Outcome {
  const { votes, uploads, pages, events } = report
  const statuses = new Map<string, number>()
  for (const { status } of votes) {
    const answer = status === 0 ? 'no answer' : String(status)
    statuses.set(answer, (statuses.get(answer) ?? 0) + 1)
  }
  const unanswered = votes.filter(({ status }) => status === 0).length
  const failed = {
    votes: votes.length - (statuses.get('200') ?? 0),
    uploads: failedUploads(uploads),
    pages: pages.begun - (pages.answers.get('200') ?? 0),
  }
  const begun = votes.length + uploads.requests + pages.begun
  const all = failed.votes + failed.uploads + failed.pages
  const times = votes.map(({ took }) => took).sort((a, b) => a - b)
  const quantile = (part: number) => times[Math.min(Math.floor(times.length * part), times.length - 1)] ?? 0
  return {
    figures: {
      'votes begun': `${votes.length}: ${told(statuses)}`,
      'time of a vote': `median ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, longest ${times.at(-1) ?? 0} ms`,
      'uploads begun': `${uploads.requests}: ${told(uploads.answers)}; ${uploads.acknowledged.length} photos acknowledged`,
      'pages begun': `${pages.begun}: ${told(pages.answers)}`,
      'requests failed at first': `${all} of ${begun} (${percent(all, begun)})`,
      'live events': `${events.events} received; ${events.gaps.length} gaps${events.gaps.map((gap) => `, ${gap} ms`).join('')}`,
    },
    checks: {
      [mostFailed === 0
        ? 'no request that was begun failed'
        : `at most ${100 * mostFailed} % of the requests failed at first`]: all <= mostFailed * begun,
      'whatever failed may be tried again: 503 with Retry-After, or no answer':
        report.votesAnsweredWrong <= unanswered && pages.wrong.length === 0 && uploads.wrong.length === 0,
      'every vote that was begun told its outcome': report.votesBegun === votes.length,
      'votes, uploads and events flowed':
        (statuses.get('200') ?? 0) > 0 && uploads.acknowledged.length > 0 && events.events > 0,
    },
    troubles: [...uploads.wrong, ...pages.wrong, ...events.refusals],
  }
}

/** Whether every acknowledged vote is what the share page, the standings and the rows say. */
async function judgeVotes({ votes, seeded }: LoadReport, rows: Awaited<ReturnType<typeof openStores>>['rows']) {
  const { url } = target
  const ballots = byBallot(votes)
  const codes = new Map(seeded.folders.map(({ id, code }) => [id, code]))
  const drawn = ballots.toSorted(() => Math.random() - 0.5).slice(0, sharesAsked)
  const wrong = [...(await rows.wrongBallots(ballots)), ...(await checkShares(url, codes, drawn))]
  const standings = await Promise.all([...codes.keys()].map((id) => checkStandings(url, seeded.owner, id)))
  const miscounted = [...(await rows.wrongTallies()), ...standings.flat()]
  return {
    figures: { 'ballots compared': `${ballots.length} with their rows, ${drawn.length} with the share page` },
    checks: {
      'no acknowledged vote was lost': wrong.length === 0,
      'tallies and standings equal a recount': miscounted.length === 0,
    },
    troubles: [...wrong, ...miscounted],
  }
}

/** Whether every acknowledged photo is there byte for byte, once, and processed. */
async function judgeUploads({ uploads }: LoadReport, evidence: Evidence) {
  const users = new Set(uploads.acknowledged.map(({ userId }) => userId))
  const photos = async () => (await evidence.photos()).filter(({ userId }) => users.has(userId))
  const processed = await until('every photo is processed', processedSeconds, async () => {
    return (await photos()).every(({ status }) => status !== 'processing')
  })
  const settled = await photos()
  const lost = [
    ...checkRows(settled, uploads),
    ...rowsWithoutObject(settled, await evidence.objectKeys()),
    ...(await checkBytes(target.url, settled, uploads.acknowledged)),
  ]
  const agreed = await until('folders knows the photos as media does', processedSeconds, async () => {
    return projectionDiffers(await evidence.photos(), await evidence.projected()).length === 0
  })
  return {
    figures: {
      'photos compared': `${settled.length}, byte for byte`,
      'the last photo is processed': `${processed.toFixed(1)} s after the load, folders agrees ${agreed.toFixed(1)} s later`,
    },
    checks: { 'no acknowledged photo was lost, doubled or left waiting': lost.length === 0 },
    troubles: lost,
  }
}

/** Judges a load: at most this part of its requests failed at first, and nothing that was acknowledged is lost. */
export async function judgeLoad(report: LoadReport, mostFailed = 0): Promise<Outcome> {
  const stores = await openStores()
  try {
    return merge([
      judgeClients(report, mostFailed),
      await judgeVotes(report, stores.rows),
      await judgeUploads(report, stores.evidence),
    ])
  } finally {
    await stores.close()
  }
}

/** One outcome of several, in their order. */
export function merge(outcomes: Outcome[]): Outcome {
  return {
    figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)),
    checks: Object.assign({}, ...outcomes.map(({ checks }) => checks)),
    troubles: outcomes.flatMap(({ troubles }) => troubles ?? []),
  }
}
