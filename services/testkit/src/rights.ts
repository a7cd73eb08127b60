import { describe, expect, test } from 'vitest'

// Who may do what: a table with a row for each route of a service, and the outcome for every kind of caller in every state of
// what the request is about.

/** A status; for lists and details, whether what the request is about is in the response. */
export type Outcome = number | 'named' | 'not named'

/** An administrator who entered the password more than 15 minutes ago. */
export const LATE = 'late admin'
export const CALLERS = ['anonymous', 'other', 'owner', 'admin', LATE] as const
export type Caller = (typeof CALLERS)[number]
export type Cells = Record<Exclude<Caller, typeof LATE>, Outcome>

export function cells(anonymous: Outcome, other: Outcome, owner: Outcome, admin: Outcome): Cells {
  return { anonymous, other, owner, admin }
}

export function succeeds(outcome: Outcome): boolean {
  return outcome === 'named' || (typeof outcome === 'number' && outcome < 300)
}

/** The outcome for a caller of a row whose `password` says whether administrators need a recent one, to succeed or at all. */
export function outcomeFor(password: 'to succeed' | 'always' | undefined, row: Cells, caller: Caller): Outcome {
  if (caller !== LATE) return row[caller]
  return password === 'always' || (password === 'to succeed' && succeeds(row.admin)) ? 403 : row.admin
}

export interface RightsRow {
  /** Method and URL pattern, as of the router or of the OpenAPI document. */
  route: string
  what?: string
  /** The request needs a fixture of its own. */
  needsNew?: true
}

export interface Rights<Row extends RightsRow, State extends string, Kind extends string, Fixture> {
  table: Row[]
  callers: readonly Kind[]
  /** The states in which a row is tested. */
  statesOf(row: Row): readonly State[]
  expected(row: Row, state: State, caller: Kind): Outcome
  /** Whether a request with this outcome changes what `recordOf` returns. No other one does. */
  changes(row: Row, state: State, caller: Kind): boolean
  /** What the requests are about, in this state; requests that change nothing share it. */
  makeFixture(state: State, row: Row): Promise<Fixture>
  /** Everything that a request could change. */
  recordOf(fixture: Fixture): Promise<unknown>
  /** Prepares the caller; the returned function sends the request. */
  prepare(row: Row, fixture: Fixture, caller: Kind): Promise<() => Promise<Outcome>>
  /** The service under test. */
  app(): Router
}

/** Defines the tests of a table. */
export function testRights<Row extends RightsRow, State extends string, Kind extends string, Fixture>(
  rights: Rights<Row, State, Kind, Fixture>,
): void {
  const { table, callers } = rights
  const unchanged = new Map<State, Fixture>()

  async function fixtureFor(row: Row, state: State, changes: boolean): Promise<Fixture> {
    if (changes || row.needsNew) return rights.makeFixture(state, row)
    const fixture = unchanged.get(state) ?? (await rights.makeFixture(state, row))
    unchanged.set(state, fixture)
    return fixture
  }

  const titled = table.map((row) => ({ row, title: row.what ? `${row.route}, ${row.what}` : row.route }))
  describe.each(titled)('$title', ({ row }) => {
    test.each(rights.statesOf(row))('%s', async (state) => {
      for (const caller of callers) {
        const changes = rights.changes(row, state, caller)
        const fixture = await fixtureFor(row, state, changes)
        const send = await rights.prepare(row, fixture, caller)
        const before = await rights.recordOf(fixture)
        expect(await send(), caller).toBe(rights.expected(row, state, caller))

        const after = await rights.recordOf(fixture)
        if (changes) expect(after, caller).not.toEqual(before)
        else expect(after, caller).toEqual(before)
      }
    })
  })

  test('every route has a row in the table, and every row a route', () => {
    expect(compareRoutes(rights.app(), table)).toEqual({ withoutRow: [], withoutRoute: [] })
  })
}

/** Something with Fastify's router. */
interface Router {
  printRoutes(options: { commonPrefix: false }): string
}

/** All routes of a service, including hidden ones, as method and URL pattern; without HEAD, which comes with GET. */
function routesOf(app: Router): string[] {
  const above: string[] = []
  const tree = app.printRoutes({ commonPrefix: false })
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.*)\))?/.exec(line) ?? []
    const depth = indent.length / 4
    above.splice(depth, above.length, part)
    const path = above.join('')
    return methods
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${path}`)
  })
}

/** What differs between the routes of a service and those that a table has rows for: both lists are empty when nothing does. */
function compareRoutes(app: Router, rows: { route: string }[]): { withoutRow: string[]; withoutRoute: string[] } {
  const routes = new Set(routesOf(app))
  const named = new Set(rows.map(({ route }) => route.replaceAll(/\{(\w+)\}/g, ':$1')))
  return {
    withoutRow: [...routes].filter((route) => !named.has(route)),
    withoutRoute: [...named].filter((route) => !routes.has(route)),
  }
}
