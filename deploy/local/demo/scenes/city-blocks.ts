import { Drawing, type Position } from '../drawing.ts'
import type { Random } from '../noise.ts'
import { pick, plantTree, type Scene, vary } from '../scene.ts'
import { addCar, paintGround, TOWN_LEAVES } from './elements.ts'

/** Blocks of houses around courtyards, cut by an avenue. */
export const cityBlocks: Scene = {
  sun: { side: -0.7, height: 40, warmth: 0.6 },
  async build(surface, random) {
    paintGround(surface, random, '#6a6a6c', '#77767a')
    const drawing = new Drawing()
    const trees: Position[] = []
    const isOffAvenue = ([x, y]: Position) => Math.abs(y - 1010 + (x + 50) * 0.324) > 88
    const size = 330
    for (let row = -1; row < 6; row += 1) {
      for (let column = -1; column < 7; column += 1) {
        const centre: Position = [column * size + 165 + row * 26, row * size + 140 - column * 26]
        addBlock(drawing, random, centre, { angle: -0.08, isFree: isOffAvenue, trees })
      }
    }
    drawing.line(
      [
        [-50, 1010],
        [2050, 330],
      ],
      { width: 96, colour: '#8f8b82' },
    )
    for (const side of [-26, 26]) {
      drawing.line(
        [
          [-50, 1010 + side],
          [2050, 330 + side],
        ],
        { width: 34, colour: '#5f5f62' },
      )
      drawing.line(
        [
          [-50, 1010 + side],
          [2050, 330 + side],
        ],
        { width: 1.6, colour: '#e6e3da', dash: '12 14' },
      )
    }
    for (let car = 0; car < 60; car += 1) {
      const along = random() * 2000
      const lane = pick(random, [-34, -18, 18, 34])
      addCar(drawing, random, [along, 1010 - (along + 50) * 0.324 + lane], -0.313)
    }
    await surface.draw(drawing)
    for (const [x, y] of trees)
      plantTree(surface, random, x, y, 9 + random() * 8, vary(pick(random, TOWN_LEAVES), random, 0.15))
    for (let along = 0; along < 2000; along += 34) {
      plantTree(surface, random, along, 1010 - (along + 50) * 0.324, 9 + random() * 4, pick(random, TOWN_LEAVES))
    }
  },
}

interface Block {
  angle: number
  isFree(place: Position): boolean
  /** Receives the places of the trees in the courtyard. */
  trees: Position[]
}

/** Houses in a ring, gabled or flat, and a garden inside. */
function addBlock(drawing: Drawing, random: Random, [x, y]: Position, { angle, isFree, trees }: Block): void {
  const place = (across: number, down: number): Position => [
    x + across * Math.cos(angle) - down * Math.sin(angle),
    y + across * Math.sin(angle) + down * Math.cos(angle),
  ]
  drawing.box([x, y], [286, 286], angle, '#a8a398')
  drawing.box([x, y], [166, 166], angle, random() < 0.55 ? '#77854f' : '#9c968a')
  const floors = 34 + Math.floor(random() * 3) * 8
  for (let side = 0; side < 4; side += 1) {
    const turn = (side * Math.PI) / 2
    const count = 4
    for (let house = 0; house < count; house += 1) {
      const along = -135 + (house + 0.5) * 67
      const [dx, dy] = [along * Math.cos(turn) + 106 * Math.sin(turn), along * Math.sin(turn) - 106 * Math.cos(turn)]
      const height = floors + Math.floor(random() * 3) * 5
      const centre = place(dx, dy)
      if (!isFree(centre)) continue
      if (random() < 0.42) addFlatRoof(drawing, random, centre, angle + turn, height)
      else addTiledRoof(drawing, random, centre, angle + turn, height)
    }
  }
  for (let tree = 0; tree < 9; tree += 1) {
    const spot = place((random() - 0.5) * 120, (random() - 0.5) * 120)
    if (isFree(spot)) trees.push(spot)
  }
}

function addFlatRoof(drawing: Drawing, random: Random, centre: Position, angle: number, height: number): void {
  drawing.box(centre, [66, 58], angle, '#d0cbc0', height)
  drawing.box(centre, [60, 52], angle, pick(random, ['#a9a59c', '#8f8c87', '#bcb6a8', '#7d7b78']))
  for (let unit = 0; unit < 4; unit += 1) {
    const at: Position = [centre[0] + (random() - 0.5) * 40, centre[1] + (random() - 0.5) * 36]
    drawing.box(at, [7 + random() * 9, 6 + random() * 6], angle, '#d9d8d4', 7)
  }
}

function addTiledRoof(drawing: Drawing, random: Random, centre: Position, angle: number, height: number): void {
  const [lit, shaded] = pick(random, [
    ['#c17a55', '#94553a'],
    ['#b86c4b', '#874a34'],
    ['#8f8078', '#6a5e59'],
    ['#c98a62', '#9d6244'],
    ['#777d84', '#585e66'],
  ] as const)
  drawing.house(centre, [67, 60], angle, { lit, shaded }, height)
  drawing.box([centre[0] + (random() - 0.5) * 40, centre[1]], [8, 8], angle, '#a4583e', 12)
}
