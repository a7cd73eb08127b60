import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadConfig, type ObjectStore, objectStoreSettings, openObjectStore } from '@skyfolio/kit'
import { beforeEach, expect, test } from 'vitest'
import { accountHash, readLedger, replayLedger, writeLedgerEntry } from '../../src/deletion/ledger.ts'
import { runningSessions } from '../password-support.ts'
import { PASSWORD, startAuth, type TestAuth } from '../support.ts'
import { ALL, confirm, deletionOf, published, registerDeleting, waitForErasure } from './support.ts'

let auth: TestAuth
let store: ObjectStore
beforeEach(async () => {
  auth = await startAuth()
  store = await openObjectStore(loadConfig(objectStoreSettings, auth.environment()))
  return () => auth.close()
})

const ERASED_AT = '2026-11-20T10:00:00.000Z'

/** As if the account had been erased after the backup from which this database was restored. */
async function record(userId: number, account?: string): Promise<void> {
  const hash = account ?? (await accountHash(auth.db, userId)) ?? ''
  await writeLedgerEntry(store, { userId, account: hash, erasedAt: ERASED_AT })
}

test('an account that a backup brought back is erased again, whatever its state was', async () => {
  const present = await auth.register('restored')
  const requested = await registerDeleting(auth, 'requested')
  const untouched = await auth.register('untouched')
  for (const { userId } of [present, requested]) await record(userId)
  const replay = await replayLedger(auth.db, store)
  expect(replay).toEqual({ entries: 2, erasedAgain: [present.userId, requested.userId], ofOthers: [] })
  for (const { userId } of [present, requested]) {
    expect((await deletionOf(auth, userId))?.erasingSince).not.toBeNull()
    expect(await published(auth, userId)).toMatchObject({ suspended: true, deletions: 1 })
  }
  await auth.startWorker()
  for (const { userId } of [present, requested]) {
    await confirm(auth, userId, ALL)
    await waitForErasure(auth, userId)
    expect(await runningSessions(auth, userId)).toEqual([])
  }
  expect(await auth.db.user.findMany({ select: { username: true } })).toEqual([{ username: 'untouched' }])
  expect((await untouched.call('GET', '/api/user')).statusCode).toBe(200)
  expect((await readLedger(store)).map(({ erasedAt }) => erasedAt)).toEqual([ERASED_AT, ERASED_AT])
})

test('accounts that the backup did not have are announced, and no new user gets their ids', async () => {
  await record(5_000, 'ab'.repeat(32))
  expect(await replayLedger(auth.db, store)).toEqual({ entries: 1, erasedAgain: [], ofOthers: [] })
  expect(await published(auth, 5_000)).toMatchObject({ deletions: 1 })
  expect((await deletionOf(auth, 5_000))?.erasedAt).not.toBeNull()
  expect((await auth.register('next')).userId).toBe(5_001)
  await replayLedger(auth.db, store)
  expect((await auth.register('after')).userId).toBe(5_002)
})

test('another account with the id of an erased one stays, and nothing is published of it', async () => {
  const { userId } = await auth.register('namesake')
  await record(userId, 'cd'.repeat(32))
  expect(await replayLedger(auth.db, store)).toEqual({ entries: 1, erasedAgain: [], ofOthers: [userId] })
  expect(await deletionOf(auth, userId)).toBeNull()
  expect(await published(auth, userId)).toMatchObject({ deletions: 0 })
})

test('an entry that cannot be read stops the replay before it changes anything', async () => {
  const { userId } = await auth.register('kept')
  await record(userId)
  const folder = join(auth.environment().OBJECT_STORE_DIR ?? '', 'objects', 'deletions')
  await writeFile(join(folder, '77.json'), '{"userId": 78}')
  await expect(replayLedger(auth.db, store)).rejects.toThrow('deletions/77.json')
  expect(await deletionOf(auth, userId)).toBeNull()
})

test('the command needs the database and the object store only', async () => {
  const { userId } = await auth.register('commanded')
  await record(userId)
  const file = fileURLToPath(new URL('../../src/commands/replay-deletions.ts', import.meta.url))
  const { DATABASE_URL, OBJECT_STORE_DIR } = auth.environment()
  const env = { PATH: process.env.PATH, DATABASE_URL, OBJECT_STORE_DIR }
  const { stdout } = await promisify(execFile)(process.execPath, [file, 'replay'], { env })
  expect(stdout).toBe(
    'Deleted accounts in the ledger: 1, of which the backup brought back and the services erase again: 1.\n',
  )
  expect((await auth.post('/api/login', { username: 'commanded', password: PASSWORD })).json().code).toBe(
    'account_erasing',
  )
  await expect(promisify(execFile)(process.execPath, [file], { env })).rejects.toMatchObject({ code: 2 })
}, 60_000)
