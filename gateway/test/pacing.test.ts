import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPacer } from '../src/proxy/read-ahead.ts'

test('what exceeds the bytes of an iteration waits for the next ones, in its order, and holds up no other key', async () => {
  const pacer = createPacer({ bytes: 100, bytesWhileConnecting: 20 })
  const moved: string[] = []
  const take = (key: string, name: string) => pacer.take(key, 60, () => moved.push(name))
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) take('a', name)
  take('b', 'b1')
  expect(moved).toEqual(['a1', 'a2', 'b1'])
  await setImmediate()
  expect(moved).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  await setImmediate()
  expect(moved).toEqual(['a1', 'a2', 'b1', 'a3', 'a4', 'a5'])
})

test('the iteration after one in which a client connected is short', async () => {
  const pacer = createPacer({ bytes: 100, bytesWhileConnecting: 20 })
  const moved: string[] = []
  const take = (name: string) => pacer.take('a', 50, () => moved.push(name))
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) take(name)
  pacer.noteConnection()
  await setImmediate()
  expect(moved).toEqual(['a1', 'a2', 'a3'])
  await setImmediate()
  expect(moved).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
})

test('one piece may be larger than the bytes of an iteration', () => {
  const pacer = createPacer({ bytes: 100, bytesWhileConnecting: 20 })
  let moved = false
  pacer.take('a', 1_000, () => {
    moved = true
  })
  expect(moved).toBe(true)
})
