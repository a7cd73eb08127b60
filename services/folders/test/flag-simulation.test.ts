import { loadConfig, openPool } from '@skyfolio/kit'
import { createTestDatabase } from '@skyfolio/testkit'
import { beforeAll, expect, test } from 'vitest'
import { flagRates, type ScenarioRates } from '../bench/flag-rates.ts'
import { PEOPLE, SCRIPTS } from '../bench/flag-scenarios.ts'
import { flagSettings, readFlagRules } from '../src/config.ts'

// A run of the simulation with the rules as shipped: what the README says of the flags holds.

let rates: ScenarioRates[]

beforeAll(async () => {
  const database = await createTestDatabase('folders')
  const pool = openPool(database.url)
  const rules = readFlagRules(loadConfig(flagSettings, {}))
  rates = await flagRates([...PEOPLE, ...SCRIPTS], { pool, rules, runs: 1, seed: 16 })
  await pool.end()
  await database.drop()
}, 60_000)

const ofPeople = (start: string) => rates.find(({ name }) => name.startsWith(start))?.people
const ofScripts = (start: string) => rates.find(({ name }) => name.startsWith(start))?.scripts

test.each(['school class', 'festival', 'hall', 'countdown', 'homes'])(
  'votes without the page flag nobody in: %s',
  (scenario) => {
    expect(ofPeople(scenario)?.['no-page']).toBe(0)
  },
)

test.each([
  'fast, without the page: 290',
  'fast, without the page, over a /64',
  'patient, without the page',
  'at the festival',
])('votes without the page flag every ballot of the script: %s', (scenario) => {
  expect(ofScripts(scenario)?.['no-page']).toBe(1)
})

test('a script on the address of a festival has few people flagged beside it', () => {
  expect(ofPeople('at the festival')?.['no-page']).toBeLessThan(0.005)
})

test('the other flags hit the scripts that load pages, if they are fast, numerous or reuse a token', () => {
  expect(ofScripts('a page for each ballot: 1,000')).toMatchObject({ burst: 1, crowd: 1 })
  expect(ofScripts('a page for each ballot, over a /64')).toMatchObject({ crowd: 1 })
  expect(ofScripts('one page for all ballots')).toMatchObject({ 'shared-token': 1 })
})

test('nothing hits who is patient and loads a page for each ballot, or votes from many networks', () => {
  expect(ofScripts('a page for each ballot, patient')?.any).toBe(0)
  expect(ofScripts('without the page, each from another /64')?.any).toBe(0)
})
