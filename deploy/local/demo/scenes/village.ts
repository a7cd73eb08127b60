import { curve, Drawing, type Position } from '../drawing.ts'
import { fractal, hills, type Random, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { rgb } from '../surface.ts'
import { TOWN_LEAVES } from './elements.ts'

/** A village around its church, in meadows. */
export const village: Scene = {
  size: [2600, 1750],
  sun: { side: -0.8, height: 33, warmth: 0.7 },
  tilt: { height: 940, horizon: -0.3, haze: 6500 },
  async build(surface, random) {
    const hill = hills(random, 2600)
    const tones = fractal(random, 420)
    surface.paint((x, y, point) => {
      point.set(rgb('#7f9a48'))
      point.blend(rgb('#a3ad5a'), smoothstep(0.4, 0.7, tones(x, y)))
      point.brighten(0.88 + tones(x * 3, y * 3) * 0.24)
      point.elevation = hill(x, y) * 160 + tones(x * 3, y * 3) * 2
    })
    const drawing = new Drawing()
    const streets = [
      curve([
        [-20, 1350],
        [500, 1230],
        [900, 1290],
        [1250, 1180],
        [1700, 1250],
        [2420, 1040],
      ]),
      curve([
        [1180, 1200],
        [1120, 900],
        [1260, 620],
        [1210, -20],
      ]),
      curve([
        [1240, 1190],
        [1300, 1400],
        [1240, 1600],
        [1330, 1800],
      ]),
      curve([
        [620, 1250],
        [760, 960],
        [1130, 880],
        [1600, 960],
        [1750, 1240],
      ]),
    ]
    for (const street of streets) drawing.line(street, { width: 22, colour: '#b9b2a4' })
    const roofs = [
      { lit: '#c4714f', shaded: '#934c35' },
      { lit: '#b5623f', shaded: '#83452f' },
      { lit: '#a1705a', shaded: '#76503f' },
    ]
    for (const street of streets) {
      for (let index = 4; index < street.length - 4; index += 3) {
        for (const side of [-1, 1]) addCottage(drawing, random, street, index, side, roofs)
      }
    }
    drawing.circle([1200, 1085], 62, '#c9c0ae')
    drawing.house([1205, 1075], [112, 46], 0.1, { lit: '#8a8f98', shaded: '#646a74' }, 46)
    drawing.box([1136, 1068], [36, 36], 0.1, '#e5dfd2', 96)
    drawing.box([1136, 1068], [26, 26], 0.1, '#5d6b6a', 30)
    await surface.draw(drawing)
    scatter(surface, random, 52, (x, y) => {
      const near = Math.hypot((x - 1200) / 1.5, y - 1150)
      if (near < 90 || random() > (near < 700 ? 0.42 : tones(x, y) > 0.54 ? 0.8 : 0.1)) return
      if (isOnStreet(streets, x, y)) return
      plantTree(surface, random, x, y, 10 + random() * 12, vary(pick(random, TOWN_LEAVES), random, 0.15))
    })
  },
}

function addCottage(
  drawing: Drawing,
  random: Random,
  street: readonly Position[],
  index: number,
  side: number,
  roofs: readonly { lit: string; shaded: string }[],
): void {
  if (random() < 0.1) return
  const [x, y] = street[index] as Position
  const [nextX, nextY] = street[index + 1] as Position
  const angle = Math.atan2(nextY - y, nextX - x)
  const away = side * (46 + random() * 12)
  const centre: Position = [x - Math.sin(angle) * away, y + Math.cos(angle) * away]
  if (Math.hypot(centre[0] - 1200, centre[1] - 1085) < 95) return
  const turn = angle + (random() < 0.3 ? Math.PI / 2 : 0)
  drawing.house(centre, [50 + random() * 16, 34 + random() * 8], turn, pick(random, roofs), 24)
}

function isOnStreet(streets: readonly (readonly Position[])[], x: number, y: number): boolean {
  return streets.some((street) => street.some(([px, py]) => Math.hypot(px - x, py - y) < 62))
}
