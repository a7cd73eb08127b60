import { expect, test } from 'vitest'
import { createUserTurns } from '../src/user-turns.ts'

test('a user has a few turns at once, the rest follow in their order, and nobody else waits for them', async () => {
  const turns = createUserTurns(2, 10)
  const begun: string[] = []
  const take = (userId: number, name: string) =>
    turns.take(userId).then((end) => {
      begun.push(name)
      return end
    })
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

test('too many that wait are refused, and turns that end let new ones in', async () => {
  const turns = createUserTurns(1, 1)
  const end = await turns.take(1)
  const waiting = turns.take(1)
  await expect(turns.take(1)).rejects.toMatchObject({ status: 429, retryAfter: 1 })
  end()
  ;(await waiting)()
  ;(await turns.take(1))()
})
