import { curve, Drawing, type Position } from '../drawing.ts'
import { fractal, hills, type Random, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { rgb, type Surface } from '../surface.ts'

const LEAVES = [rgb('#4d6b35'), rgb('#5c7a3c'), rgb('#41602f'), rgb('#6b8443')]
const CARS = ['#e9e9e6', '#2c2f33', '#8d9196', '#b5322b', '#2d4f80', '#d9d6cc', '#4a4e52']

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
      plantTree(surface, random, x, y, 9 + random() * 8, vary(pick(random, LEAVES), random, 0.15))
    for (let along = 0; along < 2000; along += 34) {
      plantTree(surface, random, along, 1010 - (along + 50) * 0.324, 9 + random() * 4, pick(random, LEAVES))
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
      plantTree(surface, random, x, y, 10 + random() * 12, vary(pick(random, LEAVES), random, 0.15))
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

/** A motorway interchange as a clover leaf among trees. */
export const interchange: Scene = {
  sun: { side: -0.6, height: 42, warmth: 0.3 },
  async build(surface, random) {
    const tones = fractal(random, 700)
    surface.paint((x, y, point) => {
      point.set(rgb('#748a48'))
      point.blend(rgb('#94975a'), smoothstep(0.4, 0.65, tones(x, y)))
      point.brighten(0.86 + tones(x * 4, y * 4) * 0.28)
      point.elevation = tones(x * 3, y * 3) * 3
    })
    const drawing = new Drawing()
    const loops = [0, 1, 2, 3].map((quarter) => loop([1000, 750], (quarter * Math.PI) / 2 - 0.2))
    const slips = [0, 1, 2, 3].map((quarter) => slip([1000, 750], (quarter * Math.PI) / 2 - 0.2))
    for (const ramp of [...loops, ...slips]) {
      drawing.line(ramp, { width: 31, colour: '#8d8a80' })
      drawing.line(ramp, { width: 24, colour: '#63646a' })
      drawing.line(ramp, { width: 1.4, colour: '#e8e5da' })
    }
    addMotorway(drawing, random, -0.2, 0)
    addMotorway(drawing, random, -0.2 + Math.PI / 2, 20)
    await surface.draw(drawing)
    const isFree = (x: number, y: number) =>
      [...loops, ...slips].every((ramp) => ramp.every(([px, py]) => Math.abs(px - x) + Math.abs(py - y) > 42)) &&
      [-0.2, -0.2 + Math.PI / 2].every(
        (angle) => Math.abs(-(x - 1000) * Math.sin(angle) + (y - 750) * Math.cos(angle)) > 84,
      )
    scatter(surface, random, 27, (x, y) => {
      if (tones(x, y) < 0.47 || !isFree(x, y)) return
      plantTree(surface, random, x, y, 9 + random() * 9, vary(pick(random, LEAVES), random, 0.18))
    })
  },
}

function loop([x, y]: Position, angle: number): Position[] {
  const points: Position[] = []
  for (let step = 0; step <= 40; step += 1) {
    const turn = angle + (step / 40) * Math.PI * 1.5 - Math.PI / 2
    const middle: Position = [x + Math.cos(angle + Math.PI / 4) * 262, y + Math.sin(angle + Math.PI / 4) * 262]
    points.push([middle[0] + Math.cos(turn) * 150, middle[1] + Math.sin(turn) * 150])
  }
  return points
}

function slip([x, y]: Position, angle: number): Position[] {
  const at = (along: number, across: number): Position => [
    x + along * Math.cos(angle) - across * Math.sin(angle),
    y + along * Math.sin(angle) + across * Math.cos(angle),
  ]
  return curve([at(1300, 62), at(760, 66), at(470, 190), at(190, 470), at(66, 760), at(62, 1300)], 14)
}

function addMotorway(drawing: Drawing, random: Random, angle: number, height: number): void {
  const at = (along: number, across: number): Position => [
    1000 + along * Math.cos(angle) - across * Math.sin(angle),
    750 + along * Math.sin(angle) + across * Math.cos(angle),
  ]
  const reach = height > 0 ? 210 : 1400
  drawing.line([at(-1400, 0), at(1400, 0)], { width: 128, colour: '#8d8a80' })
  if (height > 0) drawing.line([at(-reach, 0), at(reach, 0)], { width: 124, colour: '#a3a099', height })
  drawing.line([at(-1400, 0), at(1400, 0)], { width: 112, colour: '#5e5f65' })
  drawing.line([at(-1400, 0), at(1400, 0)], { width: 10, colour: '#8a9460' })
  for (const across of [-52, -8, 8, 52])
    drawing.line([at(-1400, across), at(1400, across)], { width: 1.8, colour: '#efece2' })
  for (const across of [-37, -22, 22, 37]) {
    drawing.line([at(-1400, across), at(1400, across)], { width: 1.5, colour: '#e6e3da', dash: '14 18' })
  }
  for (let car = 0; car < 46; car += 1) {
    const lane = pick(random, [-44, -30, -15, 15, 30, 44])
    const place = at((random() - 0.5) * 2500, lane)
    if (random() < 0.2 && Math.abs(lane) > 40)
      drawing.box(place, [44, 11], angle, pick(random, ['#eceae4', '#b8402f', '#3f6ea3']), 14)
    else addCar(drawing, random, place, angle)
  }
}

function addCar(drawing: Drawing, random: Random, centre: Position, angle: number): void {
  drawing.box(centre, [18, 8.5], angle, pick(random, CARS), 6)
  drawing.box(centre, [8, 7], angle, '#20262c', 2)
}

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
        plantTree(surface, random, x, y, 14 + random() * 10, vary(pick(random, LEAVES), random, 0.15))
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

/** Fairways, bunkers and a pond. */
export const golf: Scene = {
  sun: { side: -0.9, height: 28, warmth: 0.8 },
  async build(surface, random) {
    const shape = hills(random, 1300)
    const detail = fractal(random, 420)
    const greens: readonly [number, number, number][] = [
      [420, 420, 92],
      [1540, 360, 84],
      [1180, 1130, 100],
    ]
    const bunkers: readonly [number, number, number][] = [
      [290, 500, 44],
      [540, 330, 38],
      [560, 480, 30],
      [1420, 290, 40],
      [1650, 440, 46],
      [1060, 1230, 42],
      [1310, 1080, 36],
      [820, 700, 34],
      [930, 640, 26],
    ]
    const inside = (spots: readonly [number, number, number][], x: number, y: number) => {
      let most = -1
      for (const [cx, cy, radius] of spots) {
        most = Math.max(most, 1 - Math.hypot(x - cx, (y - cy) * 1.2) / radius + (detail(x, y) - 0.5) * 0.5)
      }
      return most
    }
    surface.paint((x, y, point) => {
      const fairway = smoothstep(0.5, 0.505, shape(x, y) + (detail(x, y) - 0.5) * 0.02)
      const mown = Math.sin((x + y * 0.6) / 13) > 0 ? 1.05 : 0.96
      point.set(rgb('#5d7a38'))
      point.blend(rgb('#87803f'), smoothstep(0.5, 0.8, detail(y, x)) * 0.6)
      point.elevation = shape(x, y) * 34 + detail(x * 2, y * 2) * 3 * (1 - fairway)
      if (fairway > 0) {
        point.blend(rgb('#779a48'), fairway)
        point.brighten(mown)
      }
      const green = inside(greens, x, y)
      if (green > 0) {
        point.set(rgb('#8fb45c'))
        point.brighten(Math.sin((x - y) / 9) > 0 ? 1.03 : 0.98)
      }
      const bunker = inside(bunkers, x, y)
      if (bunker > 0) {
        point.set(rgb('#efe2bf'))
        point.elevation -= smoothstep(0, 0.4, bunker) * 12
      }
      const pond = 1 - Math.hypot((x - 780) / 250, (y - 1030) / 140) + (detail(x, y) - 0.5) * 0.7
      if (pond > 0 && green <= 0) {
        point.set(rgb('#3f6a78'))
        point.blend(rgb('#27505f'), smoothstep(0, 0.4, pond))
        point.elevation = 45
        point.water = 0.8
      }
    })
    const drawing = new Drawing()
    drawing.line(
      curve([
        [-20, 900],
        [300, 760],
        [560, 820],
        [900, 860],
        [1300, 800],
        [1700, 900],
        [2020, 860],
      ]),
      { width: 11, colour: '#d6cbb2' },
    )
    for (const [x, y] of greens) {
      drawing.line(
        [
          [x, y],
          [x + 2, y],
        ],
        { width: 3, colour: '#f4f0e0', height: 40 },
      )
      drawing.box([x + 6, y - 2], [12, 7], 0, '#d3342c', 3)
    }
    for (const [x, y] of [
      [700, 812],
      [1480, 838],
    ])
      drawing.box([x as number, y as number], [15, 10], 0.2, '#f4f4f0', 9)
    await surface.draw(drawing)
    scatter(surface, random, 36, (x, y) => {
      if (shape(x, y) > 0.475 || inside(bunkers, x, y) > -0.5 || inside(greens, x, y) > -0.6 || surface.isWater(x, y))
        return
      if (random() < 0.5) plantTree(surface, random, x, y, 12 + random() * 12, vary(pick(random, LEAVES), random, 0.15))
    })
  },
}

/** Rows of solar panels on a meadow. */
export const solarFarm: Scene = {
  sun: { side: -0.5, height: 44, warmth: 0.3 },
  async build(surface, random) {
    const tones = fractal(random, 600)
    paintGround(surface, random, '#829a52', '#a6a562')
    const drawing = new Drawing()
    const angle = -0.16
    const at = (x: number, y: number): Position => [
      x * Math.cos(angle) - y * Math.sin(angle),
      x * Math.sin(angle) + y * Math.cos(angle),
    ]
    for (let row = 0; row < 44; row += 1) {
      for (let table = -2; table < 17; table += 1) {
        const [x, y] = at(table * 122 + (table > 7 ? 60 : 0), row * 44 + 40 + (row > 17 ? 70 : 0))
        const wild = tones(x * 0.5, y * 0.5) > 0.66 || x < 90
        if (wild) continue
        drawing.box([x, y], [116, 24], angle, '#24395c', 9)
        drawing.box([x, y - 6], [116, 10], angle, '#31507c')
        for (let panel = -3; panel <= 3; panel += 1)
          drawing.box([x + panel * 16.4, y + panel * 16.4 * -0.16], [1.2, 24], angle, '#9fb2c8')
      }
    }
    drawing.line([at(-100, 842), at(2300, 842)], { width: 24, colour: '#cdbd98' })
    drawing.line([at(1005, -100), at(1005, 1900)], { width: 20, colour: '#cdbd98' })
    drawing.box(at(1050, 868), [46, 26], angle, '#dad8d2', 18)
    await surface.draw(drawing)
    scatter(surface, random, 30, (x, y) => {
      if (tones(x * 0.5, y * 0.5) < 0.685 && x > 70) return
      plantTree(surface, random, x, y, 12 + random() * 10, vary(pick(random, LEAVES), random, 0.15))
    })
  },
}

function paintGround(surface: Surface, random: Random, from: string, to: string): void {
  const tones = fractal(random, 600)
  const [dark, bright] = [rgb(from), rgb(to)]
  surface.paint((x, y, point) => {
    point.set(dark)
    point.blend(bright, smoothstep(0.35, 0.65, tones(x, y)))
    point.brighten(0.9 + tones(x * 4, y * 4) * 0.2)
    point.elevation = tones(x * 3, y * 3) * 1.5
  })
}
