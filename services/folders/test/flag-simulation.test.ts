import { openPool } from '@skyfolio/kit'
import { createTestDatabase } from '@skyfolio/testkit'
import { beforeAll, expect, test } from 'vitest'
import { flagRates, type ScenarioRates } from '../bench/flag-rates.ts'
import { PEOPLE, SCRIPTS } from '../bench/flag-scenarios.ts'
import { FLAG_RULES } from '../src/voting/flag-updater.ts'

// A run of the simulation with the rules as shipped: what the README says of the flags holds.

let rates: ScenarioRates[]

beforeAll(async () => {
  const database = await createTestDatabase('folders')
  const pool = openPool(database.url)
  rates = await flagRates([...PEOPLE, ...SCRIPTS], { pool, rules: FLAG_RULES, runs: 1, seed: 16 })
  await pool.end()
  await database.drop()
}, 60_000)

const ofPeople = (start: string) => rates.find(({ name }) => name.startsWith(start))?.people
const ofScripts = (start: string) => rates.find(({ name }) => name.startsWith(start))?.scripts

test.each(['school class', 'festival', 'hall', 'countdown', 'homes', 'school: 120', 'favourite of all'])(
  'nobody is flagged for votes without the page, or like others, in: %s',
  (scenario) => {
    expect(ofPeople(scenario)).toMatchObject({ 'no-page': 0, alike: 0 })
  },
)

test.each([
  'fast, without the page: 290',
  'fast, without the page, over a /64',
  'patient, without the page',
  'one page, then without its cookie',
  'without the page, each from another /64',
  'at the festival',
  'the same, hidden among its people',
])('votes without the page flag every ballot of the script: %s', (scenario) => {
  expect(ofScripts(scenario)?.['no-page']).toBe(1)
})

test('a script on the address of a festival has few people flagged beside it', () => {
  expect(ofPeople('at the festival')).toMatchObject({ 'no-page': 0, alike: expect.closeTo(0, 2) })
})

test('the other flags hit the scripts that load pages, if they are fast, numerous or reuse a token', () => {
  expect(ofScripts('a page for each ballot: 1,000')).toMatchObject({ burst: 1, crowd: 1 })
  expect(ofScripts('a page for each ballot, over a /64')).toMatchObject({ crowd: 1 })
  expect(ofScripts('one page for all ballots')).toMatchObject({ 'shared-token': 1 })
})

test('ballots with the same choice are flagged in numbers, also from many networks of a site', () => {
  expect(ofScripts('a page for each ballot, patient')).toMatchObject({ alike: 1, any: 1 })
  expect(ofScripts('a page for each ballot, each from another /64 of a /48')).toMatchObject({ alike: 1, any: 1 })
  expect(ofScripts('the same from one address, hidden')).toMatchObject({ any: 1 })
})

test('nothing hits who loads a page for each ballot and is very patient', () => {
  expect(ofScripts('a page for each ballot, very patient')?.any).toBe(0)
})
