import { faultTargets } from '../../components.ts'
import type { LaunchedSystem } from '../../local/launch.ts'
import { cleanups, runCheck, startSystem } from '../harness.ts'
import { groupByBallot } from '../load/ballots.ts'
import { checkStandings } from '../load/check-votes.ts'
import { readShare, type SeededFolders, seedFolders } from '../load/seed-folders.ts'
import { openVoteRows, type VoteRows } from '../load/vote-rows.ts'
import { PRODUCTION_LIMIT_MS, type Probed, sendProbe, startProduction } from '../topology/production.ts'
import { expectRecovery, openStoredData, type StoredData } from './consistency.ts'
import { injectFaults, resumeFrozen } from './inject.ts'
import { checkProcessExits, listCounts, readFlags, reportResult, type Verdict } from './runner.ts'
import { runVoteLoad, type VoteReport } from './vote-load.ts'

// `npm run check -- faults:votes [--seed N --seconds 60]`: votes while folders, gateway, PostgreSQL and NATS are killed
// and the owner moves, hides and deletes photos. Then checks that every ballot is one that its acknowledged votes lead to,
// which has no photo twice, that tallies and standings equal a recount, and that the projection in folders matches media. Exits
// with 1 and prints the details when anything is wrong.
const { seed, ms, isProduction, pooler } = readFlags()
const targets = { services: faultTargets('votes'), servers: ['postgres', 'nats'], pauseFactor: 2 }
const OWNER = { username: 'owner', password: 'a long enough password' }
/** The machine runs all stores three times: their answers are measured, not its load. */
const FEW_VOTERS = 12
const size = { folders: 3, photos: 8 }
const NO_LIMITS = {
  REQUESTS_PER_MINUTE: '1000000',
  VOTES_PER_MINUTE_OF_ADDRESS: '1000000',
  VOTES_PER_MINUTE_OF_VOTER: '1000000',
}

/** The share page of each folder shows the photos that media lists there as public. */
async function checkShares(url: string, { owner, folders }: SeededFolders): Promise<string[]> {
  const errors: string[] = []
  for (const { id, code } of folders) {
    const photos = (await owner.call('GET', `/api/folders/${id}/photos`)) as { id: number; isPublic: boolean }[]
    const there = new Set(photos.filter(({ isPublic }) => isPublic).map((photo) => photo.id))
    const shown = new Set((await readShare(url, code)).map((photo) => photo.id))
    const differing = [...shown, ...there].filter((photo) => shown.has(photo) !== there.has(photo))
    if (differing.length > 0) errors.push(`the share page of folder ${id} and media differ in photos ${differing}`)
  }
  return errors
}

/** Waits until the system has recovered, and checks that nothing was lost. */
async function examine(
  system: LaunchedSystem,
  evidence: StoredData,
  rows: VoteRows,
  seeding: SeededFolders,
  report: VoteReport,
): Promise<Verdict> {
  const verdict: Verdict = { errors: [...report.errors], facts: [] }
  const { errors, facts } = verdict
  await expectRecovery(verdict, system, evidence)

  const present = new Set((await evidence.photos()).map(({ id }) => id))
  const deleted = new Set(seeding.folders.flatMap((folder) => folder.photos).filter((id) => !present.has(id)))
  const ballots = groupByBallot(report.votes)
  const lost = await rows.wrongBallots(ballots, deleted)
  errors.push(...lost, ...(await rows.wrongTallies()), ...(await checkShares(system.url, seeding)))
  for (const { id } of seeding.folders) errors.push(...(await checkStandings(system.url, seeding.owner, id)))
  if (!report.votes.some(({ outcome }) => outcome === 'acknowledged')) errors.push('no vote was acknowledged')
  facts.push(`ballots compared: ${ballots.length}, wrong: ${lost.length}; photos deleted: ${deleted.size}`)
  checkProcessExits(verdict, system)
  return verdict
}

function describeLoad({ votes, responses, changes }: VoteReport): string {
  return `votes sent: ${votes.length}; responses: ${listCounts(responses)}; changes by the owner: ${changes}`
}

async function castVote({ url, folder: { id, photos } }: Probed, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ fingerprint: 'fault-probe', rank: 'first', folderId: id })
  const headers = { 'content-type': 'application/json' }
  await sendProbe(`${url}/api/photos/${photos[0]}/rank`, { method: 'POST', headers, body, signal })
}

async function checkVotes(folder: string): Promise<void> {
  console.log(`Fault run of votes with seed ${seed}: ${ms / 1000} s`)
  const system = await startSystem(folder, NO_LIMITS)
  cleanups.push(resumeFrozen)
  const seeding = await seedFolders(system.url, OWNER, size)

  const injected = injectFaults(system, null, targets, { seed, ms })
  // Errors are thrown where it is awaited.
  injected.catch(() => {})
  const report = await runVoteLoad({ ...seeding, url: system.url, seed, ms })
  console.log('The load has ended.')
  const faults = await injected
  await judge(system, seeding, report, `seed ${seed}, ${faults} faults`)
}

async function checkVotesInProduction(folder: string): Promise<void> {
  console.log(`Fault run of votes with stores as in production with seed ${seed}`)
  const { system, inject } = await startProduction(folder, { run: 'votes', seed, pooler }, NO_LIMITS)
  const seeding = await seedFolders(system.url, OWNER, size)
  const { injected, isRunning } = inject({ send: castVote })
  const report = await runVoteLoad({ ...seeding, url: system.url, seed, ms, isRunning, voters: FEW_VOTERS })
  console.log('The load has ended.')
  report.errors.push(...(await injected))
  await judge(system, seeding, report, `seed ${seed}`)
}

async function judge(system: LaunchedSystem, seeding: SeededFolders, report: VoteReport, plan: string): Promise<void> {
  const state = await system.state()
  const [evidence, rows] = [await openStoredData(state), openVoteRows(state)]
  cleanups.push(() => Promise.all([evidence.close(), rows.close()]))
  const verdict = await examine(system, evidence, rows, seeding, report)
  reportResult(verdict, [plan, describeLoad(report)], 'No vote was lost.')
}

if (isProduction) await runCheck(PRODUCTION_LIMIT_MS, checkVotesInProduction)
else await runCheck(ms + 300_000, checkVotes)
