import { EventEmitter } from 'node:events'
import { visitorIdentity } from '@skyfolio/kit'
import { afterEach, expect, test } from 'vitest'
import { createUpstreamSlots, type Release, type UpstreamSlots } from '../src/client-limits.ts'

let slots: UpstreamSlots
afterEach(() => slots.close())

function open(total: number, { maxWaiting = 100, waitMs = 10_000 } = {}): void {
  slots = createUpstreamSlots('test', { total, maxWaiting, waitMs })
}

/** Takes a slot as a request of this client does. */
function acquire(address: string, userId: number | null = null, connection = new EventEmitter()) {
  const request = { identity: { ...visitorIdentity(address), userId } }
  const slot = slots.acquire(request as never, { raw: connection } as never)
  // Who waits for longer than the test is rejected after it.
  if (slot instanceof Promise) slot.catch(() => {})
  return slot
}

const take = (address: string) => acquire(address) as Release

test('a site has a quarter of the slots, and a user too, from wherever', async () => {
  open(8)
  take('10.0.0.1')
  const second = take('10.0.0.1')
  const third = acquire('10.0.0.1')
  expect(third).toBeInstanceOf(Promise)
  expect(acquire('10.0.0.2', 7)).toBeTypeOf('function')
  expect(acquire('10.0.0.3', 7)).toBeTypeOf('function')
  expect(acquire('10.0.0.4', 7)).toBeInstanceOf(Promise)
  second()
  // Giving it back twice frees one.
  second()
  expect(await third).toBeTypeOf('function')
  expect(acquire('10.0.0.1')).toBeInstanceOf(Promise)
})

test('networks that wait take turns', async () => {
  open(4)
  const held = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'].map(take)
  const order: string[] = []
  const wait = async (address: string, name: string) => {
    const release = await acquire(address)
    order.push(name)
    release?.()
  }
  const all = Promise.all([
    wait('10.0.1.1', 'a1'),
    wait('10.0.1.1', 'a2'),
    wait('10.0.1.1', 'a3'),
    wait('10.0.1.2', 'b1'),
    wait('10.0.1.3', 'c1'),
  ])
  held[0]?.()
  await all
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
})

test('waiting ends after its time, and those who wait are bounded', async () => {
  open(4, { maxWaiting: 8, waitMs: 20 })
  take('10.0.0.1')
  const waiting = [acquire('10.0.0.1'), acquire('10.0.0.1')]
  await expect(acquire('10.0.0.1')).rejects.toMatchObject({ status: 503, retryAfter: 2 })
  for (const one of waiting) await expect(one).rejects.toMatchObject({ status: 503 })
  const again = acquire('10.0.0.1')
  expect(again).toBeInstanceOf(Promise)
  await expect(again).rejects.toMatchObject({ status: 503 })
})

test('a client that leaves while it waits gets none and takes no turn', async () => {
  open(4)
  const held = take('10.0.0.1')
  const connection = new EventEmitter()
  const left = acquire('10.0.0.1', null, connection)
  const next = acquire('10.0.0.1')
  connection.emit('close')
  expect(await left).toBeNull()
  held()
  expect(await next).toBeTypeOf('function')
})
