import type { Drawing, Position } from '../drawing.ts'
import { fractal, type Random, smoothstep } from '../noise.ts'
import { pick } from '../scene.ts'
import { rgb, type Surface } from '../surface.ts'

// Ground, water, trees and vehicles that several scenes show.

export const TOWN_LEAVES = [rgb('#4d6b35'), rgb('#5c7a3c'), rgb('#41602f'), rgb('#6b8443')]
export const FIELD_LEAVES = [rgb('#3f5f2d'), rgb('#4b6c34'), rgb('#37552a'), rgb('#587238')]
const CARS = ['#e9e9e6', '#2c2f33', '#8d9196', '#b5322b', '#2d4f80', '#d9d6cc', '#4a4e52']

/** Grass or stone between two colours, slightly uneven. */
export function paintGround(surface: Surface, random: Random, from: string, to: string): void {
  const tones = fractal(random, 600)
  const [dark, bright] = [rgb(from), rgb(to)]
  surface.paint((x, y, point) => {
    point.set(dark)
    point.blend(bright, smoothstep(0.35, 0.65, tones(x, y)))
    point.brighten(0.9 + tones(x * 4, y * 4) * 0.2)
    point.elevation = tones(x * 3, y * 3) * 1.5
  })
}

/** Water with small waves, between two colours. */
export function paintWater(surface: Surface, random: Random, from: string, to: string): void {
  const tones = fractal(random, 1500)
  const waves = fractal(random, 170)
  const [deep, bright] = [rgb(from), rgb(to)]
  surface.paint((x, y, point) => {
    point.set(deep)
    point.blend(bright, smoothstep(0.3, 0.7, tones(x, y)))
    point.elevation = waves(x * 0.8, y * 1.2) * 4
    point.water = 1
  })
}

export function addCar(drawing: Drawing, random: Random, centre: Position, angle: number): void {
  drawing.box(centre, [18, 8.5], angle, pick(random, CARS), 6)
  drawing.box(centre, [8, 7], angle, '#20262c', 2)
}

export function addHull(
  drawing: Drawing,
  [x, y]: Position,
  length: number,
  beam: number,
  angle: number,
  colour: string,
): void {
  const at = (along: number, across: number): Position => [
    x + along * length * Math.cos(angle) - across * beam * Math.sin(angle),
    y + along * length * Math.sin(angle) + across * beam * Math.cos(angle),
  ]
  const outline = [
    at(-0.5, -0.4),
    at(-0.1, -0.5),
    at(0.25, -0.38),
    at(0.5, 0),
    at(0.25, 0.38),
    at(-0.1, 0.5),
    at(-0.5, 0.4),
  ]
  drawing.polygon(outline, colour, 9)
}

export function addWake(drawing: Drawing, [x, y]: Position, angle: number): void {
  const at = (back: number, across: number): Position => [
    x - back * Math.cos(angle) - across * Math.sin(angle),
    y - back * Math.sin(angle) + across * Math.cos(angle),
  ]
  drawing.polygon([at(10, 0), at(230, -48), at(240, -34), at(40, 0), at(240, 34), at(230, 48)], '#dcebea88')
  drawing.polygon([at(20, -5), at(210, -12), at(210, 12), at(20, 5)], '#e9f3f266')
}
