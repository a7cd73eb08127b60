import { expect, test } from 'vitest'
import { planFaults } from '../checks/faults/fault-plan.ts'
import { seededRandom } from '../checks/faults/random.ts'
import { faultTargets } from '../components.ts'

const servers = ['objects', 'postgres', 'redis', 'nats']
const minute = 60_000
const plan = (seed: number) => planFaults(seededRandom(seed), minute, { services: faultTargets('upload'), servers })
const seeds = Array.from({ length: 50 }, (_, index) => index)

test('a seed always plans the same faults, another seed plans others', () => {
  expect(plan(7)).toEqual(plan(7))
  expect(plan(7)).not.toEqual(plan(8))
})

test('within a minute every process has its turn, and the last moments are quiet', () => {
  for (const faults of seeds.map(plan)) {
    expect(new Set(faults.map(({ target }) => target))).toEqual(new Set([...faultTargets('upload'), ...servers]))
    expect(Math.max(...faults.map(({ atMs }) => atMs))).toBeLessThan(minute - 4_000)
  }
})

test('one server is away at a time', () => {
  for (const faults of seeds.map(plan)) {
    const ofServers = faults.filter(({ target }) => servers.includes(target))
    for (const [index, { atMs }] of ofServers.entries()) {
      const before = ofServers[index - 1]
      if (before) expect(atMs).toBeGreaterThan(before.atMs + before.frozenMs + before.downMs)
    }
  }
})
