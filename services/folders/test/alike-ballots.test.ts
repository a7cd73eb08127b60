import type { App } from '@skyfolio/kit'
import { identityHeaders } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  makeFolder,
  newUser,
  newVoter,
  openTestSystem,
  putPhoto,
  TEST_ALIKE,
  type TestSystem,
} from './support.ts'

// The flag `alike`: the ballots of a network have the same choices, which others do not make.

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

/** Numbers of photos, from the first rank on. */
type Choices = number[]

const RANKS = ['first', 'second', 'third']

async function openFolder() {
  const owner = newUser()
  const { id } = await makeFolder(app, owner, { isPublic: true })
  const photos = await Promise.all(
    Array.from({ length: 4 }, () => putPhoto(system, { userId: owner.userId, folderId: id })),
  )
  return {
    /** Votes as people with pages, each from an address; without a token as a script. */
    async vote(count: number, choices: Choices, address: (index: number) => string, token?: null) {
      for (let index = 0; index < count; index += 1) {
        const voter = newVoter(app, () => identityHeaders({ address: address(index) }), token)
        for (const [place, photo] of choices.entries())
          await voter.rank(id, photos[photo] as number, RANKS[place] as string)
      }
    },
    /** Makes the ballots so many seconds older. */
    age: (seconds: number) =>
      system.pool.query('UPDATE ballots SET created_at = created_at - make_interval(secs => $2) WHERE folder_id = $1', [
        id,
        seconds,
      ]),
    async flagged() {
      const { body } = await call(app, 'GET', `/api/folders/${id}/voters?limit=500`, { headers: owner.headers })
      return (body as { flags: string[] }[]).filter(({ flags }) => flags.includes('alike')).length
    },
  }
}

const { ballots: MANY, seconds } = TEST_ALIKE
const OTHERS = 6
const fromOne = () => '203.0.113.7'
const fromHomes = (index: number) => `198.51.100.${index}`

test('flags the ballots of a network with one favourite that others do not have', async () => {
  const { vote, flagged } = await openFolder()
  await vote(OTHERS, [1, 2], fromHomes)
  await vote(MANY - 1, [0], fromOne)
  expect(await flagged()).toBe(0)
  await vote(1, [0], fromOne)
  expect(await flagged()).toBe(MANY)
  // An honest ballot beside them is not alike.
  await vote(1, [2, 1], fromOne)
  expect(await flagged()).toBe(MANY)
})

test('flags them with the same second and third choice, or none, and not with others', async () => {
  const same = await openFolder()
  await same.vote(OTHERS, [1], fromHomes)
  await same.vote(MANY / 2, [0, 3, 2], fromOne)
  await same.vote(MANY / 2, [0], fromOne)
  expect(await same.flagged()).toBe(MANY)
  const various = await openFolder()
  await various.vote(OTHERS, [1], fromHomes)
  await various.vote(MANY / 2, [0, 1, 2], fromOne)
  await various.vote(MANY / 2, [0, 2, 1], fromOne)
  expect(await various.flagged()).toBe(0)
})

test('does not flag a favourite of all, nor ballots without others to compare with', async () => {
  const { vote, flagged } = await openFolder()
  await vote(MANY, [0], fromOne)
  expect(await flagged()).toBe(0)
  await vote(OTHERS / 2, [0], fromHomes)
  await vote(OTHERS / 2, [1], (index) => fromHomes(100 + index))
  expect(await flagged()).toBe(0)
  await vote(1, [1], () => fromHomes(200))
  expect(await flagged()).toBe(MANY)
})

test('flags the ballots of each of several networks with the same favourite', async () => {
  const { vote, flagged } = await openFolder()
  await vote(OTHERS, [1, 2], fromHomes)
  await vote(MANY, [0], fromOne)
  await vote(MANY, [0], () => '203.0.113.8')
  await vote(MANY, [0], (index) => `2001:db8:7:${index.toString(16)}::1`)
  expect(await flagged()).toBe(3 * MANY)
})

test('ballots without a page neither hide those with one nor have them flagged', async () => {
  const hidden = await openFolder()
  await hidden.vote(OTHERS, [1], fromHomes)
  await hidden.vote(MANY, [0], fromOne)
  await hidden.vote(MANY, [2], fromOne, null)
  await hidden.vote(MANY, [0], (index) => fromHomes(100 + index), null)
  expect(await hidden.flagged()).toBe(MANY)
  const framed = await openFolder()
  await framed.vote(OTHERS, [1], fromHomes)
  await framed.vote(MANY, [0], fromOne, null)
  await framed.vote(OTHERS, [0], fromOne)
  expect(await framed.flagged()).toBe(0)
})

test('counts ballots within the time only', async () => {
  const { vote, age, flagged } = await openFolder()
  await vote(MANY / 2, [0], fromOne)
  await age(seconds + 60)
  await vote(OTHERS, [1], fromHomes)
  await vote(MANY / 2, [0], fromOne)
  expect(await flagged()).toBe(0)
  await vote(MANY / 2, [0], fromOne)
  expect(await flagged()).toBe(MANY)
})

test('counts the networks of one IPv6 site together', async () => {
  const { vote, flagged } = await openFolder()
  await vote(OTHERS, [1], fromHomes)
  await vote(MANY - 1, [0], (index) => `2001:db8:7:${index.toString(16)}::1`)
  await vote(1, [0], () => '2001:db8:8:1::1')
  expect(await flagged()).toBe(0)
  await vote(1, [0], () => '2001:db8:7:ffff::1')
  expect(await flagged()).toBe(MANY)
})
