// `npm run check -- drill:restore [--store dir|s3] [--keep]`: backs up a whole system while people use it, restores that into an empty
// one (new databases, new object store, empty NATS and Redis), starts it and looks whether it agrees with itself and with what
// people were told. Prints figures; ends with 1 when anything is wrong. A few minutes.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchSystem } from '../../local/launch.ts'
import { boundRun, cleanUp, conclude, undo, type Verdict } from '../faults/run.ts'
import { examine, newerCopies } from './drill-checks.ts'
import { backUp, openStore, prepareEmpty, prune, restore } from './drill-steps.ts'
import { fill, useWhile } from './drill-use.ts'

const { values: flags } = parseArgs({
  options: { store: { type: 'string', default: 'dir' }, keep: { type: 'boolean', default: false } },
})
if (flags.store !== 'dir' && flags.store !== 's3') throw new Error('--store is dir or s3.')
boundRun(900_000)

const noLimits = {
  REQUESTS_PER_MINUTE: '1000000',
  VOTES_PER_MINUTE_OF_ADDRESS: '1000000',
  VOTES_PER_MINUTE_OF_VOTER: '1000000',
}

async function main(store: 'dir' | 's3'): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-drill-'))
  const backups = join(dataDir, 'backups')
  const verdict: Verdict = { wrong: [], facts: [] }

  const firstDir = join(dataDir, 'first')
  const firstStore = await openStore(store, firstDir)
  const first = await launchSystem(firstDir, { ...noLimits, ...firstStore })
  undo.push(() => first.stop())
  const filled = await fill(first.url)
  const firstState = await first.state()
  const { result: run, meanwhile } = await useWhile(first.url, filled, () => backUp(firstState, backups))
  // A second one, of which pruning must leave nothing that the first needs and the other way round.
  const second = await backUp(firstState, backups)
  verdict.facts.push(...run.facts, `uploads, votes and changes while it ran: ${meanwhile.done}`)
  await first.stop()

  const emptyDir = join(dataDir, 'restored')
  const emptyStore = await openStore(store, emptyDir)
  const empty = await prepareEmpty(firstDir, emptyDir, emptyStore)
  verdict.facts.push(...(await restore(empty, run.path)))
  verdict.wrong.push(...(await newerCopies(empty.env)))
  await empty.stop()

  const restored = await launchSystem(emptyDir, { ...noLimits, ...emptyStore })
  undo.push(() => restored.stop())
  await examine(restored, { filled, meanwhile, lost: run.deletedMeanwhile }, verdict)
  verdict.wrong.push(...(await prune(await restored.state(), backups, second.path)))

  const log = join(dataDir, 'system.log')
  await writeFile(log, [...first.lines, '', ...restored.lines].join('\n'))
  const fine = 'The restored system agrees with itself and with what people were told before the backup.'
  conclude(verdict.wrong, { summary: verdict.facts, fine, keep: flags.keep, dataDir, log })
}

try {
  await main(flags.store)
} finally {
  await cleanUp()
}
