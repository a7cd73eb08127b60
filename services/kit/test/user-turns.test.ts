import { expect, test } from 'vitest'
import { createUserTurns } from '../src/batching/user-turns.ts'

function record(turns: ReturnType<typeof createUserTurns>) {
  const begun: string[] = []
  const take = (userId: number, name: string) =>
    turns.take(userId).then((end) => {
      begun.push(name)
      return end
    })
  return { begun, take }
}

test('a user has a few turns at once, the rest follow in their order, and nobody else waits for them', async () => {
  const { begun, take } = record(createUserTurns({ perUser: 2, mostWaiting: 10 }))
  const [first, second] = await Promise.all([take(1, 'first'), take(1, 'second')])
  const [third, fourth] = [take(1, 'third'), take(1, 'fourth')]
  await take(2, 'other')
  expect(begun).toEqual(['first', 'second', 'other'])
  first()
  // Ending twice frees one turn only.
  first()
  await third
  expect(begun).toEqual(['first', 'second', 'other', 'third'])
  second()
  await fourth
  expect(begun.at(-1)).toBe('fourth')
})

test('all users together have a bounded number of turns, and who asks for much does not come first', async () => {
  const { begun, take } = record(createUserTurns({ perUser: 1, inAll: 2 }))
  const greedy = await take(1, 'greedy')
  const again = take(1, 'greedy again')
  const other = await take(2, 'other')
  const third = take(3, 'third')
  expect(begun).toEqual(['greedy', 'other'])
  // The turn is the third user's: the one that asked before has all its own turns.
  other()
  await third
  expect(begun).toEqual(['greedy', 'other', 'third'])
  greedy()
  await again
})

test('too many that wait are refused, and turns that end let new ones in', async () => {
  const turns = createUserTurns({ perUser: 1, mostWaiting: 1 })
  const end = await turns.take(1)
  const waiting = turns.take(1)
  await expect(turns.take(1)).rejects.toMatchObject({ status: 429, retryAfter: 1 })
  end()
  ;(await waiting)()
  ;(await turns.take(1))()
})

test('work that fails ends its turn too', async () => {
  const turns = createUserTurns({ perUser: 1 })
  await expect(turns.run(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await turns.run(1, async () => 'done')).toBe('done')
})
