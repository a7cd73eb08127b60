import { Drawing } from '../drawing.ts'
import { fractal, hash, hills, smoothstep } from '../noise.ts'
import { mosaic, pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { type Colour, rgb, type Surface } from '../surface.ts'

const TREES = [rgb('#3f5f2d'), rgb('#4b6c34'), rgb('#37552a'), rgb('#587238')]

/** Circles that pivots water, in a dry plain. */
export const pivots: Scene = {
  sun: { side: -0.5, height: 50, warmth: 0.4 },
  async build(surface, random) {
    const tones = fractal(random, 900)
    const detail = fractal(random, 200)
    const crops = ['#5f8a35', '#7aa043', '#3f6b2b', '#b79a52', '#96743f', '#c9b06a', '#557c33', '#86642f'].map(rgb)
    const size = 402
    surface.paint((x, y, point) => {
      const column = Math.floor((x + 140) / size)
      const row = Math.floor((y + 60) / size)
      const dx = x + 140 - (column + 0.5) * size
      const dy = y + 60 - (row + 0.5) * size
      const distance = Math.hypot(dx, dy)
      point.set(rgb('#b69a70'))
      point.blend(rgb('#9d8a5c'), smoothstep(0.4, 0.65, tones(x, y)))
      point.elevation = detail(x * 2, y * 2) * 3
      if (distance < 188) {
        const sector = Math.atan2(dy, dx) + hash(column, row, 5) * 6 > 2.2 ? 1 : 2
        point.set(crops[Math.floor(hash(column, row, sector) * crops.length)] as Colour)
        point.brighten(0.94 + 0.12 * Math.sin(distance / (2.2 + hash(column, row, 9) * 2)))
        point.blend(rgb('#a98f55'), smoothstep(0.6, 0.8, tones(y * 2, x * 2)) * 0.45)
        if (Math.floor(distance) % 47 < 2) point.brighten(0.82)
      }
      point.brighten(0.92 + 0.16 * detail(x, y))
    })
    const drawing = new Drawing()
    for (let column = 0; column < 7; column += 1) {
      const x = column * size - 140
      drawing.line(
        [
          [x, 0],
          [x, 1500],
        ],
        { width: 9, colour: '#cdb68d' },
      )
      drawing.line(
        [
          [0, column * size - 60],
          [2000, column * size - 60],
        ],
        { width: column === 2 ? 15 : 8, colour: column === 2 ? '#77736c' : '#cdb68d' },
      )
      for (let row = 0; row < 5; row += 1)
        addPivotArm(drawing, x + size / 2, row * size - 60 + size / 2, random() * 6.3)
    }
    drawing.box([860, 722], [44, 30], 0, '#d8d6d0', 16)
    drawing.box([915, 716], [24, 24], 0, '#9b4a3b', 14)
    await surface.draw(drawing)
  },
}

function addPivotArm(drawing: Drawing, x: number, y: number, angle: number): void {
  const tip = [x + Math.cos(angle) * 184, y + Math.sin(angle) * 184] as const
  drawing.line([[x, y], tip], { width: 2.4, colour: '#e9ecec', height: 5 })
  drawing.circle([x, y], 5, '#d5d5d0', 6)
}

/** Small fields between hedges, with lone trees. */
export const hedgerows: Scene = {
  size: [2700, 2500],
  sun: { side: -0.8, height: 32, warmth: 0.6 },
  tilt: { height: 900, horizon: 0.07, haze: 5200 },
  build(surface, random) {
    const hill = hills(random, 2600)
    const tones = fractal(random, 500)
    const field = mosaic(330, 21, 1.35)
    const warp = hills(random, 1600)
    const crops = ['#7d9a45', '#94a850', '#c6ae5f', '#5f8239', '#d3bb6c', '#8a7446', '#6d8f3e', '#a8b456'].map(rgb)
    const at = (x: number, y: number) => field(x + (warp(x, y) - 0.5) * 260, y + (warp(y, x) - 0.5) * 260)
    surface.paint((x, y, point) => {
      const { value, border } = at(x, y)
      point.set(crops[Math.floor(value * crops.length)] as Colour)
      const angle = value * 40
      const row = Math.sin((x * Math.cos(angle) + y * Math.sin(angle)) / (2.4 + ((value * 7) % 3)))
      point.brighten(0.96 + row * 0.05 + (tones(x, y) - 0.5) * 0.3)
      point.elevation = hill(x, y) * 240
      if (border < 7) point.set(rgb('#4f6b34'))
    })
    scatter(surface, random, 9, (x, y) => {
      const { value, border } = at(x, y)
      if (border > 7 || (value * 97) % 1 < 0.12) return
      plantTree(surface, random, x, y, 5 + random() * 6, vary(pick(random, TREES), random, 0.15))
    })
    scatter(surface, random, 95, (x, y) => {
      const wood = tones(y * 0.4, x * 0.4) > 0.63
      for (let tree = 0; tree < (wood ? 22 : random() < 0.12 ? 1 : 0); tree += 1) {
        const leaf = vary(pick(random, TREES), random, 0.15)
        plantTree(surface, random, x + (random() - 0.5) * 105, y + (random() - 0.5) * 105, 10 + random() * 7, leaf)
      }
    })
  },
}

/** Rows of vines over rolling hills. */
export const vineyard: Scene = {
  size: [2400, 2200],
  sun: { side: 0.8, height: 30, warmth: 0.9 },
  tilt: {
    height: 780,
    horizon: 0.04,
    haze: 4300,
    sky: { zenith: rgb('#7fa9cf'), horizon: rgb('#f0dcc0'), clouds: 0.5 },
  },
  async build(surface, random) {
    const hill = hills(random, 2300)
    const tones = fractal(random, 420)
    const plot = mosaic(560, 4, 1.1)
    const vines = [rgb('#6f8438'), rgb('#8a8f3c'), rgb('#a98f3a'), rgb('#5d7a35')]
    surface.paint((x, y, point) => {
      const { value, border } = plot(x, y)
      const angle = value * Math.PI
      const across = x * Math.cos(angle) + y * Math.sin(angle)
      const row = smoothstep(0.1, 0.55, Math.sin(across / 2.35))
      const inside = smoothstep(11, 15, border)
      point.set(rgb('#b08a5a'))
      point.blend(rgb('#8d8a4a'), tones(x, y) * 0.5)
      point.blend(vines[Math.floor(value * 4)] as Colour, row * inside)
      if (border < 8) point.set(rgb('#cdb48a'))
      point.brighten(0.85 + tones(x * 2, y * 2) * 0.3)
      point.elevation = hill(x, y) * 420 + row * inside * 6
    })
    const drawing = new Drawing()
    for (const [x, y, angle] of [
      [1130, 1260, 0.3],
      [1200, 1300, 0.3],
      [1165, 1215, 1.85],
    ] as const) {
      drawing.house([x, y], [92, 40], angle, { lit: '#c98661', shaded: '#9c5c40' }, 26)
    }
    await surface.draw(drawing)
    for (let tree = 0; tree < 34; tree += 1) {
      const x = 980 + tree * 12
      surface.addDome(x, 1390 - tree * 4.2 + random() * 3, 6, 44, rgb('#33492b'))
    }
  },
}

/** Stripes of tulips beside a ditch, with a barn. */
export const tulips: Scene = {
  sun: { side: -0.7, height: 40, warmth: 0.3 },
  async build(surface, random) {
    const tones = fractal(random, 300)
    const bands = [
      '#d8324a',
      '#f3b32e',
      '#e86fa3',
      '#f5f1e6',
      '#7b3f94',
      '#ec5b2a',
      '#f7d84a',
      '#c2185b',
      '#6f9a3d',
    ].map(rgb)
    const angle = -0.32
    surface.paint((x, y, point) => {
      const across = -x * Math.sin(angle) + y * Math.cos(angle)
      const along = x * Math.cos(angle) + y * Math.sin(angle)
      const block = Math.floor((along + 400) / 940)
      const band = Math.floor(across / 58)
      const inBand = (((across % 58) + 58) % 58) / 58
      const row = smoothstep(-0.35, 0.4, Math.sin((across / 58) * Math.PI * 14))
      point.set(rgb('#6b5b43'))
      point.blend(bands[Math.floor(hash(band, block, 3) * bands.length)] as Colour, row * 0.94)
      point.elevation = row * 2.2 + tones(x * 2, y * 2) * 1.5
      if (inBand < 0.05) point.set(rgb('#7c6a4c'))
      point.blend(rgb('#5f7f3b'), smoothstep(0.55, 0.85, tones(x * 3, y * 3)) * 0.35)
      point.brighten(0.86 + tones(x * 2, y * 2) * 0.28)
      const lane = (((along + 400) % 940) + 940) % 940
      if (lane > 46) return
      point.set(rgb('#6d9440'))
      point.elevation = 2 + tones(x * 6, y * 6) * 4
      if (lane < 14 || lane > 32) return
      point.set(rgb('#3f5a5c'))
      point.elevation = -8
      point.water = 0.8
    })
    const drawing = new Drawing()
    for (const [x, y, length] of [
      [1505, 300, 150],
      [1560, 420, 110],
    ] as const) {
      drawing.box([x, y], [length + 60, 120], angle, '#8f8a7f')
      drawing.house([x, y], [length, 64], angle, { lit: '#b4573f', shaded: '#84392b' }, 30)
    }
    for (let person = 0; person < 14; person += 1) {
      drawing.circle(
        [420 + random() * 520, 700 + random() * 180],
        3.4,
        pick(random, ['#2b2b33', '#f4f4f0', '#244a80']),
        6,
      )
    }
    await surface.draw(drawing)
    for (let tree = 0; tree < 9; tree += 1)
      plantTree(surface, random, 1400 + tree * 36, 228 - tree * 12, 17, pick(random, TREES))
  },
}

/** Evaporation ponds from pale green to pink. */
export const saltPans: Scene = {
  sun: { side: -0.4, height: 44 },
  async build(surface, random) {
    const tones = fractal(random, 700)
    const detail = fractal(random, 220)
    const ponds = [
      '#d98a84',
      '#e7b1a1',
      '#b9586a',
      '#8fb7a5',
      '#c8d6c4',
      '#e9ddd0',
      '#7a9aa0',
      '#cf6f63',
      '#a84a58',
    ].map(rgb)
    const angle = 0.22
    const size = [310, 190] as const
    surface.paint((x, y, point) => {
      const u = (x * Math.cos(angle) + y * Math.sin(angle)) / size[0]
      const v = (-x * Math.sin(angle) + y * Math.cos(angle)) / size[1]
      const row = Math.floor(v)
      const column = Math.floor(u + hash(row, 1, 1))
      const dx = Math.min(u + hash(row, 1, 1) - column, column + 1 - u - hash(row, 1, 1)) * size[0]
      const dy = Math.min(v - row, row + 1 - v) * size[1]
      const edge = Math.min(dx, dy) + (detail(x, y) - 0.5) * 7
      point.set(rgb('#a08a6c'))
      point.elevation = 7 + detail(x * 2, y * 2) * 2
      if (edge < 8) return
      point.set(ponds[Math.floor(hash(column, row, 4) * ponds.length)] as Colour)
      point.blend(rgb('#f6f1ea'), smoothstep(26, 9, edge) * 0.75)
      point.blend(rgb('#f3ece6'), smoothstep(0.6, 0.76, tones(x, y) + (detail(x * 2, y * 2) - 0.5) * 0.2) * 0.8)
      point.brighten(0.9 + tones(y, x) * 0.2)
      point.elevation = detail(x * 2, y * 2) * 2
      point.water = 0.6
    })
    const drawing = new Drawing()
    for (let heap = 0; heap < 9; heap += 1) {
      const [x, y] = [1290 + heap * 52, 1010 + heap * 12]
      for (let ring = 0; ring < 6; ring += 1) drawing.circle([x, y], 24 - ring * 4, '#f4f2ee', 4)
    }
    drawing.box([1180, 965], [40, 18], angle, '#d7a43a', 10)
    await surface.draw(drawing)
  },
}

/** Flooded terraces that follow the contour lines. */
export const terraces: Scene = {
  sun: { side: -0.6, height: 38, warmth: 0.5 },
  build(surface, random) {
    const hill = hills(random, 2400)
    const detail = fractal(random, 500)
    const tones = fractal(random, 260)
    const greens = ['#6f9a3a', '#8db04a', '#5c8635', '#a7b95a', '#7ba544'].map(rgb)
    surface.paint((x, y, point) => {
      const height = (hill(x, y) * 0.85 + (detail(x, y) - 0.5) * 0.012) * 34
      const step = Math.floor(height)
      const inside = height - step
      const parcel = Math.floor((x * 0.8 + y * 0.5 + hash(step, 0, 3) * 400 + detail(y, x) * 120) / 260)
      const kind = hash(step, parcel, 6)
      point.elevation = step * 15 + smoothstep(0.86, 1, inside) * 15
      point.set(greens[Math.floor(kind * 3.2 * greens.length) % greens.length] as Colour)
      if (kind > 0.55) {
        point.set(rgb('#9fb9c4'))
        point.blend(rgb('#6e8890'), smoothstep(0.3, 0.7, tones(x * 0.5, y * 0.5)))
        point.blend(rgb('#7fa050'), smoothstep(0.62, 0.8, tones(x * 3, y * 3)) * 0.7)
        point.water = 0.6
      } else {
        point.brighten(0.88 + tones(x * 3, y * 3) * 0.24)
        point.elevation += tones(x * 3, y * 3) * 1.5
      }
      if (inside < 0.1 || inside > 0.84) {
        point.set(rgb('#5f6b38'))
        point.blend(rgb('#7a6747'), tones(x, y))
        point.water = 0
      }
    })
    scatter(surface, random, 150, (x, y) => {
      if (random() > 0.3) return
      for (let tree = 0; tree < 5; tree += 1) {
        plantTree(
          surface,
          random,
          x + random() * 70,
          y + random() * 70,
          9 + random() * 9,
          vary(pick(random, TREES), random, 0.15),
        )
      }
    })
  },
}

/** Blossoming trees in rows, and a track. */
export const orchard: Scene = {
  sun: { side: 0.8, height: 38, warmth: 0.5 },
  async build(surface, random) {
    const tones = fractal(random, 500)
    surface.paint((x, y, point) => {
      point.set(rgb('#6f8c42'))
      point.blend(rgb('#8f9a52'), smoothstep(0.35, 0.7, tones(x, y)))
      const row = Math.abs(((x * 0.94 + y * 0.34) % 62) - 31) / 31
      point.blend(rgb('#9a8358'), smoothstep(0.62, 0.9, row) * 0.75)
      point.elevation = tones(x * 3, y * 3) * 2.5
      point.brighten(0.88 + tones(x * 4, y * 4) * 0.24)
    })
    const drawing = new Drawing()
    drawing.line(
      [
        [0, 1040],
        [700, 1110],
        [1300, 1060],
        [2000, 1140],
      ],
      { width: 34, colour: '#c8b28a' },
    )
    drawing.line(
      [
        [0, 1040],
        [700, 1110],
        [1300, 1060],
        [2000, 1140],
      ],
      { width: 8, colour: '#8f9a52' },
    )
    await surface.draw(drawing)
    plantRows(surface, random, (x, y) => Math.abs(y - 1085 - Math.sin(x / 320) * 40) > 62)
    const cart = new Drawing()
    cart.box([860, 1098], [44, 22], -0.05, '#b8352c', 14)
    cart.box([908, 1096], [50, 24], -0.05, '#8b6b42', 10)
    await surface.draw(cart)
  },
}

function plantRows(surface: Surface, random: () => number, isFree: (x: number, y: number) => boolean): void {
  const blossoms = ['#f3d9e0', '#f7ecef', '#e9b8c8', '#f0cfd8'].map(rgb)
  for (let row = -16; row < 46; row += 1) {
    for (let place = -24; place < 60; place += 1) {
      const across = row * 58 + place * 16
      const down = row * -21 + place * 43
      if (!isFree(across, down) || random() < 0.04) continue
      plantTree(surface, random, across + random() * 5, down + random() * 5, 15 + random() * 6, pick(random, blossoms))
    }
  }
}

/** Lavender in full bloom around an old farm. */
export const lavender: Scene = {
  size: [2400, 2200],
  sun: { side: -0.9, height: 27, warmth: 1 },
  tilt: {
    height: 640,
    horizon: 0.1,
    haze: 4600,
    sky: { zenith: rgb('#86a7cf'), horizon: rgb('#f4d9bf'), clouds: 0.6 },
  },
  async build(surface, random) {
    const hill = hills(random, 2600)
    const tones = fractal(random, 380)
    const plot = mosaic(900, 12, 1)
    surface.paint((x, y, point) => {
      const { value, border } = plot(x, y)
      const across = x * Math.cos(value * 1.4 - 0.5) + y * Math.sin(value * 1.4 - 0.5)
      const row = smoothstep(-0.3, 0.5, Math.sin(across / 3.4))
      const inside = smoothstep(14, 20, border)
      point.set(rgb('#a98e66'))
      if (value < 0.3) point.set(rgb('#d3b56a'))
      else point.blend(rgb('#7a5fae'), row * inside)
      if (border < 14) point.set(rgb('#7f8a4a'))
      point.brighten(0.82 + tones(x * 2, y * 2) * 0.36)
      point.elevation = hill(x, y) * 170 + (value < 0.3 ? 0 : row * inside * 7)
    })
    const drawing = new Drawing()
    drawing.house([1180, 1180], [120, 46], 0.1, { lit: '#cf9a76', shaded: '#a36f52' }, 34)
    drawing.house([1270, 1215], [60, 40], 1.5, { lit: '#cf9a76', shaded: '#a36f52' }, 24)
    await surface.draw(drawing)
    for (let tree = 0; tree < 16; tree += 1) {
      plantTree(surface, random, 1080 + random() * 260, 1100 + random() * 50, 14 + random() * 9, pick(random, TREES))
    }
  },
}
