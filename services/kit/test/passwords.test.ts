import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { createPasswords } from '../src/http/passwords.ts'
import { metrics } from '../src/index.ts'

const stranger = (number: number) => ({ site: `10.0.0.${number}`, isStranger: true })
/** Passwords that this process has verified. */
async function countPasswordChecks(): Promise<number> {
  const { values } = await metrics.counter('skyfolio_password_checks_total', '').get()
  return values[0]?.value ?? 0
}

const KNOWN = { site: '10.0.1.1', isStranger: false }

test('queues the passwords of strangers and rejects those beyond the queue', async () => {
  const passwords = await createPasswords({ concurrency: 1, waiting: 2 })
  const outcomes = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((number) => passwords.verify(null, 'x', stranger(number))),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
  expect(outcomes[4]).toMatchObject({ reason: { status: 503 } })
  expect(await passwords.verify(await passwords.hash('x', KNOWN), 'x', stranger(1))).toBe(true)
})

test('gives one site a quarter of the queue, and the rest to others', async () => {
  const passwords = await createPasswords({ concurrency: 1, waiting: 8 })
  const crowd = Array.from({ length: 6 }, () => passwords.verify(null, 'x', stranger(1)))
  const others = [2, 3, 4, 5].map((number) => passwords.verify(null, 'x', stranger(number)))
  const outcomes = await Promise.allSettled([...crowd, ...others])
  const rejected = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [index] : []))
  expect(rejected).toEqual([3, 4, 5])
  expect(outcomes[5]).toMatchObject({ reason: { status: 429 } })
})

test('somebody known waits for no queue of strangers, not even a full one', async () => {
  const passwords = await createPasswords({ concurrency: 1, waiting: 40 })
  const order: string[] = []
  const flood = Array.from({ length: 50 }, (_, number) =>
    passwords.verify(null, 'x', stranger(number)).then(() => order.push('stranger')),
  )
  const owner = passwords.verify(null, 'x', KNOWN).then(() => order.push('owner'))
  const outcomes = await Promise.allSettled([...flood, owner])
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(9)
  expect(order.indexOf('owner')).toBeLessThanOrEqual(2)
})

test('known users of one site have a quarter of the queue, and wait for no other site', async () => {
  // One after another: their order is that in which they begin.
  const passwords = await createPasswords({ concurrency: 1, waiting: 40 })
  const order: string[] = []
  const verifyFrom = async (site: string) => {
    await passwords.verify(null, 'x', { site, isStranger: false })
    order.push(site)
  }
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 20 }, () => verifyFrom('many')),
    verifyFrom('one'),
  ])
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(9)
  expect(order.indexOf('one')).toBeLessThanOrEqual(2)
})

test('rejects what has waited too long in the queue without hashing it, and then works', async () => {
  // The first one does not wait, and all of them take several times as long.
  const passwords = await createPasswords({ concurrency: 1, waiting: 100, maxWaitMs: 100 })
  const before = await countPasswordChecks()
  const numbers = Array.from({ length: 60 }, (_, number) => number)
  const outcomes = await Promise.allSettled(numbers.map((number) => passwords.verify(null, 'x', stranger(number))))
  const hashed = outcomes.filter(({ status }) => status === 'fulfilled')
  expect(outcomes[0]?.status).toBe('fulfilled')
  expect(outcomes.at(-1)).toMatchObject({ reason: { status: 503, retryAfter: 5 } })
  expect((await countPasswordChecks()) - before).toBe(hashed.length)
  expect(await passwords.verify(null, 'x', KNOWN)).toBe(false)
})

test('matches a password in every form of its characters, and an old hash of the form that was entered', async () => {
  const passwords = await createPasswords({ concurrency: 1 })
  const decomposed = 'Cafe\u0301-au-lait'
  const composed = 'Caf\u00e9-au-lait'
  const old = await hash(decomposed, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  for (const stored of [await passwords.hash(decomposed, KNOWN), await passwords.hash(composed, KNOWN)]) {
    expect(await passwords.verify(stored, composed, KNOWN)).toBe(true)
    expect(await passwords.verify(stored, decomposed, KNOWN)).toBe(true)
    expect(await passwords.verify(stored, 'Cafe-au-lait', KNOWN)).toBe(false)
  }
  expect(await passwords.verify(old, decomposed, KNOWN)).toBe(true)
})
