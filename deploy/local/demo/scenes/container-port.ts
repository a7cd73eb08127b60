import { Drawing, type Position } from '../drawing.ts'
import type { Random } from '../noise.ts'
import { pick, type Scene } from '../scene.ts'
import { paintWater } from './elements.ts'

const CONTAINERS = ['#a8382e', '#2c5d8f', '#3f7d55', '#d28a2c', '#8c8f92', '#c9c6bd', '#6b3f2c', '#1f7f8f']

/** A container terminal with a ship alongside. */
export const containerPort: Scene = {
  sun: { side: 0.7, height: 40, warmth: 0.3 },
  async build(surface, random) {
    paintWater(surface, random, '#27535c', '#33666c')
    const drawing = new Drawing()
    drawing.polygon(
      [
        [0, 560],
        [2000, 560],
        [2000, 1500],
        [0, 1500],
      ],
      '#8e8c86',
      10,
    )
    drawing.line(
      [
        [0, 564],
        [2000, 564],
      ],
      { width: 10, colour: '#c7b25c' },
    )
    for (const y of [600, 690])
      drawing.line(
        [
          [0, y],
          [2000, y],
        ],
        { width: 3, colour: '#5a5853' },
      )
    addShip(drawing, random)
    for (const x of [420, 900, 1330]) addCrane(drawing, x)
    for (let row = 0; row < 5; row += 1) {
      const y = 800 + row * 150
      drawing.line(
        [
          [0, y + 74],
          [2000, y + 74],
        ],
        { width: 30, colour: '#7b7974' },
      )
      drawing.line(
        [
          [0, y + 74],
          [2000, y + 74],
        ],
        { width: 2, colour: '#d8d0a8', dash: '20 16' },
      )
      for (let column = 0; column < 25; column += 1) {
        if (column % 9 === 4) continue
        for (let lane = 0; lane < 5; lane += 1) {
          const stack = Math.floor(random() * 4.6)
          if (stack === 0) continue
          addContainer(drawing, [44 + column * 80, y - 46 + lane * 23], pick(random, CONTAINERS), stack * 13)
        }
      }
      for (let truck = 0; truck < 3; truck += 1) {
        const x = random() * 1900
        drawing.box([x, y + 68], [58, 14], 0, pick(random, CONTAINERS), 14)
        drawing.box([x + 37, y + 68], [13, 13], 0, '#e8e4d8', 13)
      }
    }
    await surface.draw(drawing)
  },
}

function addShip(drawing: Drawing, random: Random): void {
  const [left, right, top, bottom] = [150, 1850, 310, 536]
  const middle = (top + bottom) / 2
  drawing.polygon(
    [
      [left, top + 26],
      [left + 60, top],
      [right - 210, top],
      [right, middle],
      [right - 210, bottom],
      [left + 60, bottom],
      [left, bottom - 26],
    ],
    '#7c2f2a',
    16,
  )
  drawing.polygon(
    [
      [left + 14, top + 32],
      [left + 64, top + 10],
      [right - 214, top + 10],
      [right - 28, middle],
      [right - 214, bottom - 10],
      [left + 64, bottom - 10],
      [left + 14, bottom - 32],
    ],
    '#9a8d7c',
  )
  for (let bay = 0; bay < 17; bay += 1) {
    if (bay === 3) continue
    for (let row = 0; row < 8; row += 1) {
      addContainer(
        drawing,
        [left + 110 + bay * 82 + (bay > 3 ? 10 : 0), top + 28 + row * 24.5],
        pick(random, CONTAINERS),
        22 + Math.floor(random() * 3) * 12,
      )
    }
  }
  drawing.box([left + 356, middle], [56, 214], 0, '#eceae4', 74)
  drawing.box([left + 348, middle], [26, 90], 0, '#3f5f78', 10)
}

function addCrane(drawing: Drawing, x: number): void {
  for (const side of [-34, 34]) {
    drawing.line(
      [
        [x + side, 330],
        [x + side, 740],
      ],
      { width: 9, colour: '#2f6fa8', height: 110 },
    )
  }
  for (const y of [340, 470, 600, 700])
    drawing.line(
      [
        [x - 34, y],
        [x + 34, y],
      ],
      { width: 8, colour: '#3a7cb6', height: 110 },
    )
  drawing.box([x, 650], [54, 40], 0, '#e7e4da', 20)
}

function addContainer(drawing: Drawing, centre: Position, colour: string, height: number): void {
  drawing.box(centre, [76, 20], 0, colour, height)
  drawing.box([centre[0], centre[1] - 4], [74, 1.4], 0, '#ffffff30')
  drawing.box([centre[0], centre[1] + 4], [74, 1.4], 0, '#00000030')
}
