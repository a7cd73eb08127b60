import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { faultTargets } from '../../components.ts'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { byBallot } from '../load/ballots.ts'
import { type Seeded, seedVotes } from '../load/seed.ts'
import { openVoteRows, type VoteRows } from '../load/vote-rows.ts'
import { compareStandings, recount } from '../load/votes-check.ts'
import { allReady, type Evidence, openEvidence, projectionDiffers } from './checks.ts'
import { planFaults } from './plan.ts'
import { thaw } from './processes.ts'
import { seeded } from './random.ts'
import { boundRun, cleanUp, conclude, expectSoon, injectAll, noteEnds, undo, type Verdict } from './run.ts'
import { runVoteLoad, type VoteReport } from './vote-load.ts'

// `npm run check -- faults:votes [--seed N --seconds 60]`: votes while folders, gateway, PostgreSQL and NATS are killed and the
// owner moves, hides and deletes photos; then checks that no acknowledged vote is lost, no rule of the ballot is broken,
// tallies and standings equal a recount, and folders knows the photos as media does. Ends with 1 and the details when
// anything is wrong.
const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '60' },
    keep: { type: 'boolean', default: false },
  },
})
const seed = Number(flags.seed)
const ms = Number(flags.seconds) * 1000
const targets = { services: faultTargets('votes'), servers: ['postgres', 'nats'], calm: 2 }
const size = { folders: 3, photos: 8 }
const noLimits = {
  REQUESTS_PER_MINUTE: '1000000',
  VOTES_PER_MINUTE_OF_ADDRESS: '1000000',
  VOTES_PER_MINUTE_OF_VOTER: '1000000',
}
const readyWithinMs = 60_000
const agreedWithinMs = 60_000
// Whatever hangs: the run ends.
boundRun(ms + 300_000)

/** Photos that count, by folder: those that the owner's list of media shows there, and to everybody. */
async function countedPhotos({ owner, folders }: Seeded): Promise<Map<number, Set<number>>> {
  const counted = new Map<number, Set<number>>()
  for (const { id } of folders) {
    const photos = (await owner.call('GET', `/api/folders/${id}/photos`)) as { id: number; isPublic: boolean }[]
    counted.set(id, new Set(photos.filter(({ isPublic }) => isPublic).map((photo) => photo.id)))
  }
  return counted
}

/** What the owner's standings and the share page say against rows and media's photos. */
async function checkPublic(url: string, seeding: Seeded, rows: VoteRows): Promise<string[]> {
  const wrong: string[] = []
  const counted = await countedPhotos(seeding)
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
    wrong.push(...compareStandings(id, tallies, recount(counting)))
    const share = (await (await fetch(`${url}/api/share/${code}`)).json()) as { photos: { id: number }[] }
    const shown = new Set(share.photos.map((photo) => photo.id))
    const differing = [...shown, ...there].filter((photo) => shown.has(photo) !== there.has(photo))
    if (differing.length > 0) wrong.push(`the share of folder ${id} and media differ in photos ${differing.join(', ')}`)
  }
  return wrong
}

function ruleBreakers(ballots: Awaited<ReturnType<VoteRows['ballots']>>): string[] {
  return ballots.flatMap(({ folder, voter, first, second, third }) => {
    const held = [first, second, third].filter((photo) => photo !== 0)
    return new Set(held).size === held.length ? [] : [`ballot ${voter} of folder ${folder} has a photo twice: ${held}`]
  })
}

/** Waits until the system is itself again and looks for what it lost. */
async function examine(
  system: LaunchedSystem,
  evidence: Evidence,
  rows: VoteRows,
  seeding: Seeded,
  report: VoteReport,
): Promise<Verdict> {
  const verdict: Verdict = { wrong: [...report.wrong], facts: [] }
  const { wrong, facts } = verdict
  await expectSoon(verdict, 'every service is ready', readyWithinMs, async () => allReady(await system.state()))
  await expectSoon(verdict, 'folders has the photos that media has', agreedWithinMs, async () => {
    return projectionDiffers(await evidence.photos(), await evidence.projected()).length === 0
  })
  const photos = await evidence.photos()
  wrong.push(...projectionDiffers(photos, await evidence.projected()))

  const present = new Set(photos.map(({ id }) => id))
  const gone = new Set(seeding.folders.flatMap((folder) => folder.photos).filter((id) => !present.has(id)))
  const ballots = byBallot(report.votes)
  const lost = await rows.wrongBallots(ballots, gone)
  wrong.push(...lost, ...ruleBreakers(await rows.ballots()))
  wrong.push(...(await rows.wrongTallies()))
  wrong.push(...(await checkPublic(system.url, seeding, rows)))
  if (!report.votes.some(({ outcome }) => outcome === 'acknowledged')) wrong.push('no vote was acknowledged')
  facts.push(`ballots compared: ${ballots.length}, wrong: ${lost.length}; photos deleted: ${gone.size}`)
  noteEnds(verdict, system)
  return verdict
}

function describeLoad({ votes, answers, changes }: VoteReport): string {
  const said = [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')
  return `votes sent: ${votes.length}; answers: ${said}; changes by the owner: ${changes}`
}

async function main(): Promise<void> {
  console.log(`Fault run of votes with seed ${seed}: ${flags.seconds} s`)
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-faults-'))
  const system = await launchSystem(dataDir, noLimits)
  undo.push(() => system.stop())
  const log = join(dataDir, 'system.log')
  undo.push(() => writeFile(log, system.lines.join('\n')))
  undo.push(async () => thaw())
  const seeding = await seedVotes(system.url, { username: 'owner', password: 'a long enough password' }, size)

  const faults = planFaults(seeded(seed), ms, targets)
  const injected = injectAll(system, null, faults)
  // What goes wrong there is thrown when it is waited for.
  injected.catch(() => {})
  const report = await runVoteLoad({ ...seeding, url: system.url, seed, ms })
  console.log('The load has ended.')
  await injected

  const state = await system.state()
  const [evidence, rows] = [await openEvidence(state), openVoteRows(state)]
  undo.push(() => Promise.all([evidence.close(), rows.close()]))
  const { wrong, facts } = await examine(system, evidence, rows, seeding, report)
  const summary = [`seed ${seed}, ${faults.length} faults`, describeLoad(report), ...facts]
  conclude(wrong, { summary, fine: 'No vote was lost.', keep: flags.keep, dataDir, log })
}

try {
  await main()
} finally {
  await cleanUp()
}
