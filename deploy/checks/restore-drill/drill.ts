// `npm run check -- drill:restore [--store dir|s3]`: backs up a complete system under load, restores the backup
// into an empty one (new databases, new object store, empty NATS and Redis), starts it, and checks that it is consistent
// and has everything that was acknowledged. Prints figures; exits with 1 when anything is wrong. Takes a few minutes.
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchSystem } from '../../local/launch.ts'
import { reportResult, type Verdict } from '../faults/runner.ts'
import { cleanups, runCheck, startStore } from '../harness.ts'
import { backUp, prepareEmpty, prune, restore } from './backup-restore.ts'
import { checkRestoredSystem } from './checks.ts'
import { leave, replayDeletions } from './deleted-account.ts'
import { fillSystem, runUnderLoad } from './load.ts'
import { dropWaitingMails, leaveMailWaiting } from './mails.ts'
import { findNewerCopies } from './projections.ts'

const { values: flags } = parseArgs({
  options: { store: { type: 'string', default: 'dir' } },
})

const NO_LIMITS = {
  ACCOUNT_DELETION_DAYS: '0',
  REQUESTS_PER_MINUTE: '1000000',
  VOTES_PER_MINUTE_OF_ADDRESS: '1000000',
  VOTES_PER_MINUTE_OF_VOTER: '1000000',
  PARTNER_REQUESTS_PER_MINUTE: '1000000',
}

/** The folder of a system, with the settings of its object store. */
async function prepareFolder(store: 'dir' | 's3', folder: string): Promise<Record<string, string>> {
  await mkdir(folder)
  // PostgreSQL runs as another user and must be able to enter.
  await chmod(folder, 0o711)
  return store === 's3' ? (await startStore(folder)).settings : {}
}

async function drill(store: 'dir' | 's3', dataDir: string): Promise<void> {
  const backups = join(dataDir, 'backups')
  const verdict: Verdict = { errors: [], facts: [] }

  const firstDir = join(dataDir, 'first')
  const firstStore = await prepareFolder(store, firstDir)
  const first = await launchSystem(firstDir, { ...NO_LIMITS, ...firstStore })
  cleanups.push(() => first.stop())
  const filled = await fillSystem(first.url)
  const firstState = await first.state()
  await leaveMailWaiting(firstState)
  const { result: run, meanwhile } = await runUnderLoad(first.url, filled, () => backUp(firstState, backups))
  await leave(verdict, firstState, filled.leaver)
  // A second backup: pruning must keep its objects and remove those that only the first one needs.
  const second = await backUp(firstState, backups)
  verdict.facts.push(...run.facts, `uploads, votes and changes during the backup: ${meanwhile.acknowledged}`)
  await first.stop()

  const emptyDir = join(dataDir, 'restored')
  const emptyStore = await prepareFolder(store, emptyDir)
  const empty = await prepareEmpty(firstDir, emptyDir, emptyStore)
  verdict.facts.push(...(await restore(empty, run.path)))
  verdict.errors.push(...(await findNewerCopies(empty.env)))
  verdict.facts.push(await dropWaitingMails(empty.env))
  verdict.facts.push(await replayDeletions(empty.env))
  await empty.stop()

  const restored = await launchSystem(emptyDir, { ...NO_LIMITS, ...emptyStore })
  cleanups.push(() => restored.stop())
  await checkRestoredSystem(restored, { filled, meanwhile, lost: run.deletedDuringBackup }, verdict)
  verdict.errors.push(...(await prune(await restored.state(), backups, second.path)))

  const fine = 'The restored system is consistent and has everything that was acknowledged before the backup.'
  reportResult(verdict, [], fine)
}

const { store } = flags
if (store !== 'dir' && store !== 's3') throw new Error('--store is dir or s3.')
await runCheck(900_000, (folder) => drill(store, folder))
