import { normalizeName } from '../src/places/normalize.ts'
import type { PlaceColumns } from '../src/places/place-file.ts'
import type { Numbering, PlaceData } from './place-data.ts'
import { stateKey } from './place-sources.ts'

/** Adds the names under which a search finds cities, spots and states. A spot with the name of a city of its state has no key. */
export function addKeys(columns: PlaceColumns, names: Numbering, { states, outlines, cities, spots }: PlaceData): void {
  const targets = new Map<string, Set<number>>()
  const add = (name: string, target: number) => {
    const key = normalizeName(name)
    const known = targets.get(key)
    if (known) known.add(target)
    else if (key !== '') targets.set(key, new Set([target]))
  }
  const taken = new Set<string>()
  for (const [index, { name, aliases = [], state }] of cities.entries()) {
    for (const one of [name, ...aliases]) add(one, index)
    taken.add(`${state} ${normalizeName(name)}`)
  }
  for (const [index, { name, state }] of spots.entries()) {
    const place = `${state} ${normalizeName(name)}`
    if (taken.has(place)) continue
    taken.add(place)
    add(name, cities.length + index)
  }
  const numbers = new Map(states.map((key, number) => [key, cities.length + spots.length + number]))
  for (const [key, target] of numbers) add(key.slice(3), target)
  for (const outline of outlines) {
    const target = numbers.get(stateKey(outline))
    if (target !== undefined) for (const alias of outline.stateAliases ?? []) add(alias, target)
  }
  for (const [key, found] of [...targets].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const target of found) {
      columns.keyName.push(names.of(key))
      columns.keyTarget.push(target)
    }
  }
}
