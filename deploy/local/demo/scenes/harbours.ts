import { Drawing, type Position } from '../drawing.ts'
import { fractal, type Random, smoothstep } from '../noise.ts'
import { pick, type Scene } from '../scene.ts'
import { rgb, type Surface } from '../surface.ts'

const HULLS = ['#f4f3ee', '#f0efe8', '#e9ecec', '#2f5f8c', '#b23a32', '#f4f3ee']
const CONTAINERS = ['#a8382e', '#2c5d8f', '#3f7d55', '#d28a2c', '#8c8f92', '#c9c6bd', '#6b3f2c', '#1f7f8f']

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

function addFishingBoat(drawing: Drawing, random: Random, [x, y]: Position, angle: number): void {
  addHull(drawing, [x, y], 52, 19, angle, pick(random, ['#2f5f8c', '#b23a32', '#f1efe8', '#3f7d6a', '#e0a93b']))
  const at = (along: number): Position => [x + Math.cos(angle) * along, y + Math.sin(angle) * along]
  drawing.box(at(-2), [30, 12], angle, '#b99b72')
  drawing.box(at(7), [13, 12], angle, '#f4f2ec', 10)
}

function addHull(
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

function addWake(drawing: Drawing, [x, y]: Position, angle: number): void {
  const at = (back: number, across: number): Position => [
    x - back * Math.cos(angle) - across * Math.sin(angle),
    y - back * Math.sin(angle) + across * Math.cos(angle),
  ]
  drawing.polygon([at(10, 0), at(230, -48), at(240, -34), at(40, 0), at(240, 34), at(230, 48)], '#dcebea88')
  drawing.polygon([at(20, -5), at(210, -12), at(210, 12), at(20, 5)], '#e9f3f266')
}

function addLighthouse(drawing: Drawing, centre: Position, colour: string): void {
  drawing.circle(centre, 36, '#bdb5a6', 14)
  drawing.circle(centre, 15, '#f1eee6', 80)
  drawing.circle(centre, 11, colour, 26)
}

function paintWater(surface: Surface, random: Random, from: string, to: string): void {
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
