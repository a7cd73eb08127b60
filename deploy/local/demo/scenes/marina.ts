import { Drawing, type Position } from '../drawing.ts'
import type { Random } from '../noise.ts'
import { pick, type Scene } from '../scene.ts'
import { addHull, addWake, paintWater } from './elements.ts'

const HULLS = ['#f4f3ee', '#f0efe8', '#e9ecec', '#2f5f8c', '#b23a32', '#f4f3ee']

/** Pontoons full of yachts. */
export const marina: Scene = {
  sun: { side: -0.6, height: 40, warmth: 0.4 },
  async build(surface, random) {
    paintWater(surface, random, '#155a6b', '#1f7480')
    const drawing = new Drawing()
    drawing.polygon(
      [
        [0, 1290],
        [2000, 1210],
        [2000, 1500],
        [0, 1500],
      ],
      '#b7ac99',
      12,
    )
    drawing.line(
      [
        [0, 1294],
        [2000, 1214],
      ],
      { width: 9, colour: '#ded6c6' },
    )
    for (let pontoon = 0; pontoon < 8; pontoon += 1) {
      const x = 130 + pontoon * 250
      const end = pontoon === 7 ? 620 : 130 + ((pontoon * 37) % 90)
      drawing.line(
        [
          [x, 1290 - x * 0.04],
          [x, end],
        ],
        { width: 13, colour: '#c9b08a', height: 5 },
      )
      drawing.box([x, end], [70, 15], 0, '#c9b08a', 5)
      for (let berth = 0; end + 34 + berth * 31 < 1235; berth += 1) {
        const y = end + 34 + berth * 31
        for (const side of [-1, 1]) {
          if (random() < 0.1) continue
          const length = 68 + random() * 30
          drawing.line(
            [
              [x, y - 14],
              [x + side * 52, y - 14],
            ],
            { width: 3, colour: '#cbb894', height: 4 },
          )
          addYacht(drawing, random, [x + side * (11 + length / 2), y], length, side > 0 ? 0 : Math.PI)
        }
      }
    }
    addYacht(drawing, random, [1890, 330], 110, -2.1)
    addWake(drawing, [1890, 330], -2.1)
    for (let spot = 0; spot < 34; spot += 1) {
      drawing.box(
        [60 + spot * 57, 1392 - spot * 2.3],
        [18, 36],
        0.04,
        pick(random, ['#e8e6e0', '#33373b', '#8f9499', '#a63129', '#31567f']),
        11,
      )
    }
    for (let house = 0; house < 9; house += 1) {
      drawing.house([120 + house * 232, 1470 - house * 9], [170, 70], -0.04, { lit: '#c67a57', shaded: '#95543a' }, 40)
    }
    await surface.draw(drawing)
  },
}

function addYacht(drawing: Drawing, random: Random, [x, y]: Position, length: number, angle: number): void {
  const beam = length * 0.27
  addHull(drawing, [x, y], length, beam, angle, pick(random, HULLS))
  const at = (along: number): Position => [x + Math.cos(angle) * along * length, y + Math.sin(angle) * along * length]
  drawing.box(at(-0.08), [length * 0.4, beam * 0.55], angle, pick(random, ['#d9d4c8', '#dfe3e4', '#c4a377']), 4)
  drawing.box(
    at(-0.3),
    [length * 0.2, beam * 0.6],
    angle,
    pick(random, ['#2a4d78', '#8a6a48', '#4a5258', '#9d2f2b']),
    3,
  )
  drawing.line([at(-0.28), at(0.08)], { width: 2.2, colour: '#f7f7f4', height: 9 })
  drawing.circle(at(0.08), 2.2, '#f7f7f4', 70)
}
