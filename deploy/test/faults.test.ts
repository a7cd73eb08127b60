import { describe, expect, test } from 'vitest'
import { planFaults } from '../checks/faults/fault-plan.ts'
import {
  checkAnswers,
  checkEvents,
  compareList,
  compareWithPartner,
  findDisorder,
  findDuplicates,
  findStaleStatuses,
} from '../checks/faults/order-checks.ts'
import { planSandboxFaults, planSteps, STEPS } from '../checks/faults/order-faults.ts'
import type { OrderRow } from '../checks/faults/order-records.ts'
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

test('plans a kill of print-orders at every step of a submit, and every fault of the partner', () => {
  for (const seed of seeds) {
    const random = seededRandom(seed)
    const steps = planSteps(random, minute)
    expect(new Set(steps.map(({ step }) => step))).toEqual(new Set(STEPS))
    const names = planSandboxFaults(random, minute).map(({ fault }) => `${fault.route} ${fault.fault} ${fault.when}`)
    expect(new Set(names).size).toBe(30)
  }
  expect(planSteps(seededRandom(7), minute)).toEqual(planSteps(seededRandom(7), minute))
})

describe('the checks after a fault run of orders', () => {
  const email = 'intention-1@example.com'
  const atPartner = (vendorOrderId: string, stage = 'ready') => {
    return { vendorOrderId, stage, orderStatus: 'Ready for Pickup', customer: { email } }
  }
  const row = (changes: Partial<OrderRow> = {}): OrderRow => {
    return { id: 1, userId: 1, status: 'ready', vendorOrderId: '7', email, key: 'key-1', revision: 3, ...changes }
  }
  const answer = { key: 'key-1', outcome: 'accepted', status: 201, orderId: 1, vendorOrderId: '7' } as const
  const intention = { id: 1, userId: 1, email, keys: ['key-1'], mostOrders: 1, answers: [answer] }

  test('accept an order with its row, and one whose row is marked as unknown', () => {
    expect(compareWithPartner([atPartner('7')], [row()])).toEqual([])
    expect(compareWithPartner([atPartner('7')], [row({ status: 'unknown', vendorOrderId: null })])).toEqual([])
    expect(findDuplicates([intention], [atPartner('7')])).toEqual([])
    expect(checkAnswers([intention], [row()])).toEqual([])
    expect(findStaleStatuses([atPartner('7')], [row()])).toEqual([])
  })

  test('find a lost order, an invented one, and one that was placed twice', () => {
    expect(compareWithPartner([atPartner('7'), atPartner('8')], [row()])).toHaveLength(1)
    expect(compareWithPartner([atPartner('7')], [row({ status: 'rejected', vendorOrderId: null })])).toHaveLength(1)
    expect(compareWithPartner([], [row()])).toHaveLength(1)
    expect(findDuplicates([intention], [atPartner('7'), atPartner('8')])).toHaveLength(1)
  })

  test('find an answer that differs from the row, a stale status, and an order that a list does not show', () => {
    expect(checkAnswers([intention], [row({ vendorOrderId: '8' })])).toHaveLength(1)
    expect(checkAnswers([{ ...intention, answers: [{ ...answer, outcome: 'refused' }] }], [row()])).toHaveLength(1)
    expect(findStaleStatuses([atPartner('7', 'sold')], [row()])).toHaveLength(1)
    expect(compareList('the owner', [], [row()])).toHaveLength(1)
    expect(compareList('the owner', [{ id: 1, orderStatus: 'submitted' }], [row()])).toHaveLength(1)
  })

  test('find a missing event, an event too many, and changes in the wrong order', () => {
    const changed = { type: 'changed', orderId: 1, revision: 3, status: 'ready', vendorOrderId: '7' } as const
    const submitted = { ...changed, type: 'submitted', revision: 1 } as const
    expect(checkEvents([changed, submitted, changed], [row()])).toEqual([])
    expect(checkEvents([changed], [row()])).toHaveLength(1)
    expect(checkEvents([{ ...changed, revision: 2 }, submitted], [row()])).toHaveLength(1)
    expect(findDisorder([3, 2].map((revision) => ({ orderId: 1, revision })))).toHaveLength(1)
  })
})
