import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { migrate } from '@skyfolio/kit/migrations'
import { startPostgres, waitFor } from '@skyfolio/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { call, makeFolder, newUser, newVoter, openTestSystem, putPhoto } from './support.ts'
import { expectExactTallies } from './votes-support.ts'

const migrations = fileURLToPath(new URL('../prisma/migrations', import.meta.url))

test('votes get 503 when PostgreSQL is killed, none is lost, and voting resumes without a restart', async () => {
  const postgres = await startPostgres({ durable: true })
  onTestFinished(() => postgres.stop())
  const databaseUrl = `${postgres.url}/folders`
  await migrate(databaseUrl, migrations)
  const system = await openTestSystem({ databaseUrl })
  onTestFinished(() => system.close())
  const apps = [await system.start(), await system.start()]
  const [app] = apps
  if (!app) throw new Error('no app')
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const photos: number[] = []
  for (let number = 0; number < 5; number += 1)
    photos.push(await putPhoto(system, { userId: owner.userId, folderId: id }))

  let stop = false
  const statuses = new Set<number>()
  const voters = Array.from({ length: 40 }, () => {
    const voter = newVoter(app)
    // The last acknowledged ballot, and whether a later vote failed or is unknown.
    const state = { acknowledged: { first: 0, second: 0, third: 0 }, uncertain: false, successes: 0 }
    const run = async () => {
      for (let turn = 0; !stop; turn += 1) {
        const photo = photos[Math.floor(Math.random() * photos.length)] ?? 0
        const response = await voter.rank(id, photo, ['first', 'second', 'third', ''][turn % 4] ?? '', apps[turn % 2])
        statuses.add(response.status)
        if (response.status === 200) {
          state.acknowledged = response.body.rankings
          state.successes += 1
        }
        state.uncertain = response.status !== 200
        if (state.uncertain) await delay(20)
      }
    }
    return { ...voter, state, running: run() }
  })
  const total = () => voters.reduce((sum, voter) => sum + voter.state.successes, 0)

  for (let round = 0; round < 3; round += 1) {
    const before = total()
    await waitFor(() => total() > before + 200, { what: 'votes', timeoutMs: 30_000 })
    await postgres.kill()
    const rejected = await newVoter(app).rank(id, photos[0] ?? 0, 'first')
    expect([rejected.status, rejected.body.code, rejected.headers['retry-after']]).toEqual([503, 'unavailable', '1'])
    expect((await call(app, 'GET', `/api/share/${shareCode}`)).status).toBe(503)
    await postgres.start()
  }
  const before = total()
  await waitFor(() => total() > before + 200, { what: 'votes after the last outage', timeoutMs: 30_000 })
  stop = true
  await Promise.all(voters.map((voter) => voter.running))

  expect([...statuses].sort()).toEqual([200, 503])
  for (const { fingerprint, state } of voters) {
    if (state.uncertain) continue
    const read = await call(app, 'GET', `/api/folders/${id}/rankings?fingerprint=${fingerprint}`)
    expect(read.body.userRankings).toEqual(state.acknowledged)
  }
  await expectExactTallies(system)
  expect((await call(app, 'GET', `/api/share/${shareCode}`)).status).toBe(200)
}, 120_000)
