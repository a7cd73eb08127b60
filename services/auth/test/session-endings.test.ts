import { createLogger } from '@skyfolio/kit'
import { startRedis, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { carryOutEnding, carryOutWaitingEndings, requestSessionsEnd } from '../src/sessions/session-endings.ts'
import { createSessions } from '../src/sessions/sessions.ts'
import { changeForm, isRunning, NEW_PASSWORD } from './password-support.ts'
import { PASSWORD, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

const requested = (system = auth) => system.db.sessionEnding.count()
const carryOut = (id: bigint) =>
  carryOutEnding(
    { db: auth.db, sessions: createSessions(auth.redis, auth.nats), logger: createLogger('test', 'silent') },
    id,
  )
const carryOutWaiting = () => carryOutWaitingEndings(auth.db, createSessions(auth.redis, auth.nats))

test('what a process committed before it ended is carried out by the worker', async () => {
  const kept = await auth.register('survivor')
  const others = [await auth.signIn('survivor'), await auth.signIn('survivor')]
  const stranger = await auth.register('neighbour')
  await auth.db.$transaction((tx) => requestSessionsEnd(tx, kept.userId, kept.session.hash))
  await auth.db.$transaction((tx) => requestSessionsEnd(tx, 999_999, null))
  const worker = await auth.startWorker()
  await waitFor(async () => (await requested()) === 0, { what: 'the sessions to be ended' })
  const running = await Promise.all([kept, ...others, stranger].map((each) => isRunning(auth, each)))
  expect(running).toEqual([true, false, false, true])
  await worker.stop()
})

test('a change during an outage of Redis succeeds, and the sessions end when Redis is back', async () => {
  const redis = await startRedis()
  const system = await startAuth({ redisUrl: redis.url })
  const browser = await system.register('patient')
  const other = await system.signIn('patient')
  // The session of the request is found, and Redis fails before the others are ended.
  await system.db.$executeRaw`
    CREATE FUNCTION wait_for_outage() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END'`
  await system.db.$executeRaw`
    CREATE TRIGGER wait_for_outage BEFORE INSERT ON session_endings FOR EACH ROW EXECUTE FUNCTION wait_for_outage()`
  const blocker = await system.pool.connect()
  await blocker.query('SELECT pg_advisory_lock(7)')
  const changing = browser.call('POST', '/api/user/password', changeForm(PASSWORD))
  const isWaiting = async () => {
    const { rows } = await blocker.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    return rows.length > 0
  }
  await waitFor(isWaiting, { what: 'the change to reach its last statement' })
  await redis.stop()
  await blocker.query('SELECT pg_advisory_unlock(7)')
  blocker.release()
  const changed = await changing
  expect(changed.statusCode).toBe(204)
  expect(await requested(system)).toBe(1)
  expect((await other.call('GET', '/api/user')).statusCode).toBe(503)

  await redis.start()
  const worker = await system.startWorker()
  await waitFor(async () => (await requested(system)) === 0, { what: 'the sessions to be ended' })
  const next = await system.signedIn(changed.headers['set-cookie'])
  expect(await Promise.all([next, browser, other].map((each) => isRunning(system, each)))).toEqual([true, false, false])
  expect((await system.post('/api/login', { username: 'patient', password: NEW_PASSWORD })).statusCode).toBe(200)
  await worker.stop()
  await system.close()
  await redis.stop()
})

test('nobody repeats what another process is carrying out, so a session started since does not end', async () => {
  const browser = await auth.register('quick')
  const ending = await auth.db.$transaction((tx) => requestSessionsEnd(tx, browser.userId, null))
  await Promise.all([carryOut(ending), carryOutWaiting(), carryOutWaiting()])
  expect(await requested()).toBe(0)
  const again = await auth.signIn('quick')
  await Promise.all([carryOut(ending), carryOutWaiting()])
  expect(await Promise.all([browser, again].map((each) => isRunning(auth, each)))).toEqual([false, true])
})
