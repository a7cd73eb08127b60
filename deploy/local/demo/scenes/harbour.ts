import { Drawing, type Position } from '../drawing.ts'
import type { Random } from '../noise.ts'
import { pick, type Scene } from '../scene.ts'
import { addHull, addWake, paintWater } from './elements.ts'

/** A fishing harbour between moles. */
export const harbour: Scene = {
  size: [2900, 1800],
  sun: { side: -0.9, height: 33, warmth: 0.8 },
  tilt: { height: 980, horizon: -0.32, haze: 6500 },
  async build(surface, random) {
    paintWater(surface, random, '#1c5468', '#2c7383')
    const drawing = new Drawing()
    const quay: Position[] = [
      [0, 1800],
      [0, 1390],
      [420, 1330],
      [800, 1400],
      [1400, 1380],
      [1900, 1300],
      [2500, 1340],
      [2900, 1230],
      [2900, 1800],
    ]
    drawing.polygon(quay, '#c2b59d', 16)
    drawing.line(quay.slice(1, -1), { width: 16, colour: '#8d8576' })
    const roofs = [
      { lit: '#cc7d56', shaded: '#9c573b' },
      { lit: '#bd6b49', shaded: '#8b4833' },
      { lit: '#d29a70', shaded: '#a36d4b' },
      { lit: '#8c8a88', shaded: '#666563' },
    ]
    for (let row = 0; row < 4; row += 1) {
      for (let column = 0; column < 35; column += 1) {
        if (random() < 0.1) continue
        const x = 50 + column * 86 + random() * 16
        const y = 1500 + row * 92 + Math.sin(x / 300) * 34 + random() * 14
        const angle = Math.sin(x / 400) * 0.3 + (random() < 0.35 ? Math.PI / 2 : 0)
        drawing.house([x, y], [82, 60], angle, pick(random, roofs), 24 + Math.floor(random() * 3) * 8)
      }
    }
    const moles: Position[][] = [
      [
        [600, 1360],
        [640, 1010],
        [840, 770],
        [1210, 660],
      ],
      [
        [2360, 1330],
        [2300, 1010],
        [2080, 790],
        [1640, 680],
      ],
    ]
    for (const mole of moles) {
      drawing.line(mole, { width: 58, colour: '#7f7a70', height: 8 })
      drawing.line(mole, { width: 30, colour: '#cbc3b3', height: 12 })
    }
    addLighthouse(drawing, [1200, 662], '#c23b30')
    addLighthouse(drawing, [1652, 683], '#2f8455')
    for (let jetty = 0; jetty < 6; jetty += 1) {
      const x = 900 + jetty * 220
      drawing.line(
        [
          [x, 1390],
          [x, 1090 + (jetty % 2) * 40],
        ],
        { width: 12, colour: '#a88a62', height: 8 },
      )
      for (let berth = 0; berth < 7; berth += 1) {
        for (const side of [-1, 1]) {
          if (random() < 0.24) continue
          addFishingBoat(drawing, random, [x + side * 34, 1115 + berth * 34 + (jetty % 2) * 30], side > 0 ? 0.05 : 3.1)
        }
      }
    }
    for (const [x, y, angle] of [
      [1420, 520, -1.2],
      [1380, 900, 1.9],
      [1980, 980, 0.4],
      [900, 380, 2.6],
    ] as const) {
      addWake(drawing, [x, y], angle)
      addFishingBoat(drawing, random, [x, y], angle)
    }
    await surface.draw(drawing)
  },
}

function addFishingBoat(drawing: Drawing, random: Random, [x, y]: Position, angle: number): void {
  addHull(drawing, [x, y], 52, 19, angle, pick(random, ['#2f5f8c', '#b23a32', '#f1efe8', '#3f7d6a', '#e0a93b']))
  const at = (along: number): Position => [x + Math.cos(angle) * along, y + Math.sin(angle) * along]
  drawing.box(at(-2), [30, 12], angle, '#b99b72')
  drawing.box(at(7), [13, 12], angle, '#f4f2ec', 10)
}

function addLighthouse(drawing: Drawing, centre: Position, colour: string): void {
  drawing.circle(centre, 36, '#bdb5a6', 14)
  drawing.circle(centre, 15, '#f1eee6', 80)
  drawing.circle(centre, 11, colour, 26)
}
