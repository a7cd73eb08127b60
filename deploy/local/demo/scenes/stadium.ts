import { Drawing, type Position } from '../drawing.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { addCar, paintGround, TOWN_LEAVES } from './elements.ts'

/** A playing field with its running track, courts and a car park. */
export const stadium: Scene = {
  sun: { side: 0.7, height: 36, warmth: 0.5 },
  async build(surface, random) {
    paintGround(surface, random, '#7c9350', '#8ea05a')
    const drawing = new Drawing()
    const centre: Position = [760, 820]
    const oval = (radius: number) => {
      const points: Position[] = []
      for (let step = 0; step < 80; step += 1) {
        const turn = (step / 80) * Math.PI * 2
        const shift = Math.cos(turn) >= 0 ? 260 : -260
        points.push([centre[0] + shift + Math.cos(turn) * radius, centre[1] + Math.sin(turn) * radius])
      }
      return points
    }
    drawing.polygon(oval(376), '#b9b2a2')
    drawing.polygon(oval(364), '#b4513b')
    for (let lane = 0; lane <= 8; lane += 1) {
      const points = oval(362 - lane * 12)
      drawing.line([...points, points[0] as Position], { width: 1.6, colour: '#f2ede2' })
    }
    drawing.polygon(oval(264), '#5f8f3f')
    for (let stripe = 0; stripe < 14; stripe += 2)
      drawing.box([centre[0] - 312 + stripe * 48, centre[1]], [48, 420], 0, '#6c9c48')
    addPitchLines(drawing, centre)
    for (let row = 0; row < 7; row += 1)
      drawing.box([centre[0], 404 - row * 16], [620, 15], 0, row % 2 ? '#c8ccd0' : '#aeb4ba', 8 + row * 7)
    drawing.box([centre[0], 300], [650, 60], 0, '#e3e4e2', 70)
    addCourt(drawing, [1560, 420], '#c0694a')
    addCourt(drawing, [1740, 420], '#3f7fae')
    for (let row = 0; row < 4; row += 1) {
      drawing.box([1660, 1010 + row * 110], [560, 96], 0, '#6d6e72')
      for (let slot = 0; slot < 21; slot += 1) {
        const x = 1395 + slot * 26
        for (const side of [-28, 28]) {
          drawing.line(
            [
              [x - 13, 1010 + row * 110 + side - 19],
              [x - 13, 1010 + row * 110 + side + 19],
            ],
            { width: 1.4, colour: '#e6e3da' },
          )
          if (random() < 0.62) addCar(drawing, random, [x, 1010 + row * 110 + side], Math.PI / 2)
        }
      }
    }
    await surface.draw(drawing)
    scatter(surface, random, 40, (x, y) => {
      if (y > 240 && y < 1240 && x > 60 && (x < 1440 || y < 600)) return
      if (x > 1340 && y > 900 && y < 1420) return
      if (random() < 0.55)
        plantTree(surface, random, x, y, 14 + random() * 10, vary(pick(random, TOWN_LEAVES), random, 0.15))
    })
  },
}

function addPitchLines(drawing: Drawing, [x, y]: Position): void {
  const line = { width: 3, colour: '#f4f4ee' }
  const frame = (left: number, top: number, right: number, bottom: number) =>
    drawing.line(
      [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
        [left, top],
      ],
      line,
    )
  frame(x - 300, y - 195, x + 300, y + 195)
  drawing.line(
    [
      [x, y - 195],
      [x, y + 195],
    ],
    line,
  )
  for (const side of [-1, 1]) {
    frame(x + side * 300, y - 115, x + side * 205, y + 115)
    frame(x + side * 300, y - 52, x + side * 268, y + 52)
  }
  const ring: Position[] = []
  for (let step = 0; step <= 40; step += 1)
    ring.push([x + Math.cos(step / 6.366) * 56, y + Math.sin(step / 6.366) * 56])
  drawing.line(ring, line)
}

function addCourt(drawing: Drawing, [x, y]: Position, colour: string): void {
  drawing.box([x, y], [150, 270], 0, '#4f7f5a')
  drawing.box([x, y], [98, 214], 0, colour)
  const line = { width: 2, colour: '#f4f4ee' }
  drawing.line(
    [
      [x - 49, y - 107],
      [x + 49, y - 107],
      [x + 49, y + 107],
      [x - 49, y + 107],
      [x - 49, y - 107],
    ],
    line,
  )
  drawing.line(
    [
      [x - 49, y - 56],
      [x + 49, y - 56],
      [x, y - 56],
      [x, y + 56],
      [x + 49, y + 56],
      [x - 49, y + 56],
    ],
    line,
  )
  drawing.line(
    [
      [x - 60, y],
      [x + 60, y],
    ],
    { width: 2.4, colour: '#dfe3e0', height: 6 },
  )
}
