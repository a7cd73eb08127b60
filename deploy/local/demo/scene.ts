import type { Tilt } from './camera.ts'
import type { Sun } from './light.ts'
import { hash, type Random } from './noise.ts'
import type { Colour, Surface } from './surface.ts'

/** What a picture shows, in which light and from where. Without `tilt` the camera looks straight down. */
export interface Scene {
  /** Of the surface, where it is not that of the picture: a tilted camera sees more. */
  size?: readonly [number, number]
  sun: Sun
  tilt?: Tilt
  build(surface: Surface, random: Random): void | Promise<void>
}

/** Visits the points of a jittered grid. */
export function scatter(
  { width, height }: Surface,
  random: Random,
  spacing: number,
  visit: (x: number, y: number) => void,
): void {
  for (let y = -spacing / 2; y < height + spacing; y += spacing) {
    for (let x = -spacing / 2; x < width + spacing; x += spacing) {
      visit(x + (random() - 0.5) * spacing, y + (random() - 0.5) * spacing)
    }
  }
}

/** A broad-leaved tree: a crown with a few smaller ones in it. */
export function plantTree(
  surface: Surface,
  random: Random,
  x: number,
  y: number,
  radius: number,
  colour: Colour,
): void {
  surface.addDome(x, y, radius, radius * 1.1, colour)
  for (let branch = 0; branch < 4; branch += 1) {
    const angle = random() * Math.PI * 2
    const away = radius * (0.3 + random() * 0.35)
    const size = radius * (0.4 + random() * 0.2)
    const shade = vary(colour, random, 0.16)
    surface.addDome(x + Math.cos(angle) * away, y + Math.sin(angle) * away, size, radius * 1.3, shade)
  }
}

/** A conifer from above: a pointed cone, in rings. */
export function plantConifer(surface: Surface, x: number, y: number, radius: number, colour: Colour): void {
  for (let ring = 0; ring < 4; ring += 1) {
    surface.addDome(x, y, radius * (1 - ring * 0.22), radius * (0.7 + ring * 0.42), colour)
  }
}

export function vary([red, green, blue]: Colour, random: Random, amount: number): Colour {
  const factor = 1 + (random() - 0.5) * 2 * amount
  return [red * factor, green * factor, blue * factor]
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T
}

export interface Cell {
  /** 0 to 1, the same within a cell. */
  value: number
  /** Distance to the border with the next cell, in pixels. */
  border: number
}

/** An irregular mosaic (Voronoi cells). The result is reused by the next call. */
export function mosaic(size: number, seed: number, stretch = 1): (x: number, y: number) => Cell {
  const cell: Cell = { value: 0, border: 0 }
  return (x, y) => {
    const u = x / (size * stretch)
    const v = y / size
    const column = Math.floor(u)
    const row = Math.floor(v)
    let first = 9
    let second = 9
    for (let cy = row - 1; cy <= row + 1; cy += 1) {
      for (let cx = column - 1; cx <= column + 1; cx += 1) {
        const dx = cx + 0.15 + hash(cx, cy, seed) * 0.7 - u
        const dy = cy + 0.15 + hash(cx, cy, seed + 1) * 0.7 - v
        const distance = dx * dx + dy * dy
        if (distance < first) {
          second = first
          first = distance
          cell.value = hash(cx, cy, seed + 2)
        } else if (distance < second) second = distance
      }
    }
    cell.border = (Math.sqrt(second) - Math.sqrt(first)) * size * 0.6
    return cell
  }
}
