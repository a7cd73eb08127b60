import { parseArgs } from 'node:util'
import { faultTargets } from '../../components.ts'
import type { LaunchedSystem } from '../../local/launch.ts'
import { cleanups, runCheck, startSystem } from '../harness.ts'
import { groupByBallot } from '../load/ballots.ts'
import { compareStandings, recount } from '../load/check-votes.ts'
import { type SeededFolders, seedFolders } from '../load/seed-folders.ts'
import { openVoteRows, type VoteRows } from '../load/vote-rows.ts'
import { areAllReady, compareProjection, openStoredData, type StoredData } from './consistency.ts'
import { type FaultTargets, planFaults } from './fault-plan.ts'
import { resumeFrozen } from './inject.ts'
import { seededRandom } from './random.ts'
import { checkProcessExits, expectEventually, injectFaults, reportResult, type Verdict } from './runner.ts'
import { runVoteLoad, type VoteReport } from './vote-load.ts'

// `npm run check -- faults:votes [--seed N --seconds 60]`: votes while folders, gateway, PostgreSQL and NATS are killed
// and the owner moves, hides and deletes photos. Then checks that no acknowledged vote is lost, every ballot is valid,
// tallies and standings equal a recount, and the projection in folders matches media. Exits with 1 and prints the details
// when anything is wrong.
const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '60' },
  },
})
const seed = Number(flags.seed)
const ms = Number(flags.seconds) * 1000
const targets: FaultTargets = { services: faultTargets('votes'), servers: ['postgres', 'nats'], pauseFactor: 2 }
const size = { folders: 3, photos: 8 }
const NO_LIMITS = {
  REQUESTS_PER_MINUTE: '1000000',
  VOTES_PER_MINUTE_OF_ADDRESS: '1000000',
  VOTES_PER_MINUTE_OF_VOTER: '1000000',
}
const READY_TIMEOUT_MS = 60_000
const CONSISTENT_TIMEOUT_MS = 60_000

/** Photos whose votes count, by folder: those that media lists there as public. */
async function readCountedPhotos({ owner, folders }: SeededFolders): Promise<Map<number, Set<number>>> {
  const counted = new Map<number, Set<number>>()
  for (const { id } of folders) {
    const photos = (await owner.call('GET', `/api/folders/${id}/photos`)) as { id: number; isPublic: boolean }[]
    counted.set(id, new Set(photos.filter(({ isPublic }) => isPublic).map((photo) => photo.id)))
  }
  return counted
}

/** Compares the owner's standings and the share page with the rows and with media's photos. */
async function checkStandingsAndShares(url: string, seeding: SeededFolders, rows: VoteRows): Promise<string[]> {
  const errors: string[] = []
  const counted = await readCountedPhotos(seeding)
  const ballots = await rows.ballots()
  for (const { id, code } of seeding.folders) {
    const there = counted.get(id) ?? new Set()
    const visible = (photo: number) => (there.has(photo) ? photo : 0)
    const counting = ballots
      .filter(({ folder }) => folder === id)
      .map(({ first, second, third, excluded }) => ({
        ...{ first: visible(first), second: visible(second), third: visible(third), excluded },
      }))
    const { tallies } = (await seeding.owner.call('GET', `/api/folders/${id}/rankings`)) as {
      tallies: { photoId: number; first: number; second: number; third: number }[]
    }
    errors.push(...compareStandings(id, tallies, recount(counting)))
    const share = (await (await fetch(`${url}/api/share/${code}`)).json()) as { photos: { id: number }[] }
    const shown = new Set(share.photos.map((photo) => photo.id))
    const differing = [...shown, ...there].filter((photo) => shown.has(photo) !== there.has(photo))
    if (differing.length > 0)
      errors.push(`the share page of folder ${id} and media differ in photos ${differing.join(', ')}`)
  }
  return errors
}

function findInvalidBallots(ballots: Awaited<ReturnType<VoteRows['ballots']>>): string[] {
  return ballots.flatMap(({ folder, voter, first, second, third }) => {
    const held = [first, second, third].filter((photo) => photo !== 0)
    return new Set(held).size === held.length ? [] : [`ballot ${voter} of folder ${folder} has a photo twice: ${held}`]
  })
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
  await expectEventually(verdict, 'every service is ready', READY_TIMEOUT_MS, async () =>
    areAllReady(await system.state()),
  )
  await expectEventually(verdict, 'the projection in folders matches media', CONSISTENT_TIMEOUT_MS, async () => {
    return compareProjection(await evidence.photos(), await evidence.projectedPhotos()).length === 0
  })
  const photos = await evidence.photos()
  errors.push(...compareProjection(photos, await evidence.projectedPhotos()))

  const present = new Set(photos.map(({ id }) => id))
  const deleted = new Set(seeding.folders.flatMap((folder) => folder.photos).filter((id) => !present.has(id)))
  const ballots = groupByBallot(report.votes)
  const lost = await rows.wrongBallots(ballots, deleted)
  errors.push(...lost, ...findInvalidBallots(await rows.ballots()))
  errors.push(...(await rows.wrongTallies()))
  errors.push(...(await checkStandingsAndShares(system.url, seeding, rows)))
  if (!report.votes.some(({ outcome }) => outcome === 'acknowledged')) errors.push('no vote was acknowledged')
  facts.push(`ballots compared: ${ballots.length}, wrong: ${lost.length}; photos deleted: ${deleted.size}`)
  checkProcessExits(verdict, system)
  return verdict
}

function describeLoad({ votes, responses, changes }: VoteReport): string {
  const summary = [...responses].map(([response, count]) => `${count} × ${response}`).join(', ')
  return `votes sent: ${votes.length}; responses: ${summary}; changes by the owner: ${changes}`
}

await runCheck(ms + 300_000, async (folder) => {
  console.log(`Fault run of votes with seed ${seed}: ${flags.seconds} s`)
  const system = await startSystem(folder, NO_LIMITS)
  cleanups.push(async () => resumeFrozen())
  const seeding = await seedFolders(system.url, { username: 'owner', password: 'a long enough password' }, size)

  const faults = planFaults(seededRandom(seed), ms, targets)
  const injected = injectFaults(system, null, faults)
  // Errors are thrown where it is awaited.
  injected.catch(() => {})
  const report = await runVoteLoad({ ...seeding, url: system.url, seed, ms })
  console.log('The load has ended.')
  await injected

  const state = await system.state()
  const [evidence, rows] = [await openStoredData(state), openVoteRows(state)]
  cleanups.push(() => Promise.all([evidence.close(), rows.close()]))
  const verdict = await examine(system, evidence, rows, seeding, report)
  reportResult(verdict, [`seed ${seed}, ${faults.length} faults`, describeLoad(report)], 'No vote was lost.')
})
