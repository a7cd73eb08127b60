import { expect, test } from 'vitest'
import { ATTACKS } from '../attacks/attacks.ts'
import { BODIES, isCovered, LISTS, OWN_ONLY, PARAMETERS } from '../attacks/cross-user-requests.ts'
import { keyOf, publicRoutes } from '../attacks/routes.ts'

test('the attacks name what a stranger sends to every public route', () => {
  expect(
    publicRoutes()
      .filter((route) => !isCovered(route))
      .map(keyOf),
  ).toEqual([])
})

test('the attacks name no route that does not exist', () => {
  const known = new Set(publicRoutes().map(keyOf))
  const named = [...Object.keys(BODIES), ...LISTS, ...Object.keys(OWN_ONLY)]
  expect(named.filter((key) => !known.has(key))).toEqual([])
  const paths = publicRoutes().map(({ path }) => path)
  expect(PARAMETERS.filter(([beginning]) => !paths.some((path) => path.startsWith(beginning)))).toEqual([])
})

test('each attack has a name of its own that says what holds', () => {
  const names = ATTACKS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !/^["'a-z0-9].* .*[^.]$/.test(name))).toEqual([])
})
