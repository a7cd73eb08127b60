import { expect, test } from 'vitest'
import { planFaults } from '../checks/faults/fault-plan.ts'
import { seededRandom } from '../checks/faults/random.ts'
import { faultTargets } from '../components.ts'

const servers = ['objects', 'postgres', 'redis', 'nats']
const minute = 60_000
const plan = (seed: number) => planFaults(seededRandom(seed), minute, { services: faultTargets('upload'), servers })
const seeds = Array.from({ length: 50 }, (_, index) => index)

test('plans the same faults for the same seed, and others for another', () => {
  expect(plan(7)).toEqual(plan(7))
  expect(plan(7)).not.toEqual(plan(8))
})

test('hits every process within a minute, and none at the end', () => {
  for (const faults of seeds.map(plan)) {
    expect(new Set(faults.map(({ target }) => target))).toEqual(new Set([...faultTargets('upload'), ...servers]))
    expect(Math.max(...faults.map(({ atMs }) => atMs))).toBeLessThan(minute - 4_000)
  }
})

test('stops one server at a time', () => {
  for (const faults of seeds.map(plan)) {
    const ofServers = faults.filter(({ target }) => servers.includes(target))
    for (const [index, { atMs }] of ofServers.entries()) {
      const before = ofServers[index - 1]
      if (before) expect(atMs).toBeGreaterThan(before.atMs + before.frozenMs + before.downMs)
    }
  }
})
