import type { City, Outline } from './place-sources.ts'
import type { Spot } from './place-spots.ts'

/** A city and the number of its state. */
export interface PlacedCity extends City {
  state: number
}

/** The content of the place file, before it is encoded. */
export interface PlaceData {
  states: string[]
  outlines: Outline[]
  cities: PlacedCity[]
  spots: Spot[]
}

/** Numbers values in the order in which they are first seen. */
export class Numbering {
  readonly #numbers = new Map<string, number>()

  of(value: string): number {
    const number = this.#numbers.get(value) ?? this.#numbers.size
    this.#numbers.set(value, number)
    return number
  }

  values(): Iterable<string> {
    return this.#numbers.keys()
  }
}
