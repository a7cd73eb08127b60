import { Drawing, type Position } from '../drawing.ts'
import { fractal, ridges, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { rgb } from '../surface.ts'

const FOAM = rgb('#f3f7f5')
const PALE_SAND = rgb('#e9d9b4')

/** Waves that break on a beach in long white lines. */
export const surf: Scene = {
  sun: { side: -0.6, height: 48 },
  build(surface, random) {
    const shore = fractal(random, 2600)
    const detail = fractal(random, 700)
    const foam = ridges(random, 380)
    const deep = rgb('#0e5871')
    const shallow = rgb('#3fb3b0')
    const wet = rgb('#b79a6c')
    const scrub = rgb('#6d7a43')
    surface.paint((x, y, point) => {
      const bend = (shore(x, y) - 0.5) * 900
      const away = 1240 - x * 0.62 - y * 0.35 + bend + (detail(x, y) - 0.5) * 70
      if (away > 0) {
        const swell = Math.sin(away / 46 + detail(x, y) * 5)
        point.set(deep)
        point.blend(shallow, smoothstep(620, 40, away) * 0.95)
        point.water = 1
        point.elevation = swell * 1.2 * smoothstep(0, 300, away) + detail(x * 2, y * 2) * 5
        const crest = smoothstep(0.45, 0.95, Math.sin(away / 74 + shore(y, x) * 9))
        const broken = smoothstep(0.42, 0.72, foam(x, y)) * crest * smoothstep(470, 60, away)
        point.blend(FOAM, broken + smoothstep(26, 2, away) * 0.85)
        point.blend(FOAM, smoothstep(0.62, 0.85, foam(x * 1.4, y * 1.4)) * smoothstep(330, 30, away) * 0.7)
        return
      }
      point.set(wet)
      point.blend(PALE_SAND, smoothstep(-25, -120, away))
      point.brighten(0.95 + 0.12 * detail(x * 5, y * 5))
      const dune = smoothstep(-330, -520, away) * smoothstep(0.4, 0.56, detail(x * 2, y * 2))
      point.blend(scrub, dune)
      point.elevation = detail(x, y) * 26 * smoothstep(-120, -420, away) + detail(x * 4, y * 4) * (2 + dune * 16)
    })
  },
}

/** Green islands in a lagoon with coral. */
export const reef: Scene = {
  size: [2800, 1900],
  sun: { side: -0.5, height: 52 },
  tilt: { height: 1000, horizon: -0.34, haze: 6500 },
  build(surface, random) {
    const ground = fractal(random, 2300)
    const coral = ridges(random, 620)
    const detail = fractal(random, 420)
    const depths = [rgb('#0a3f6b'), rgb('#1173a0'), rgb('#35b5bf'), rgb('#9ce0d0')] as const
    const leaf = rgb('#3d6b2f')
    surface.paint((x, y, point) => {
      const height = ground(x, y) + (detail(x, y) - 0.5) * 0.05
      const depth = 0.6 - height
      if (depth > 0) {
        point.set(depths[0])
        point.blend(depths[1], smoothstep(0.2, 0.11, depth))
        point.blend(depths[2], smoothstep(0.12, 0.06, depth))
        point.blend(depths[3], smoothstep(0.055, 0.004, depth))
        const reefs = smoothstep(0.56, 0.8, coral(x, y)) * smoothstep(0.18, 0.1, depth) * smoothstep(0.012, 0.05, depth)
        point.blend(rgb('#2c6d68'), reefs * 0.75)
        point.blend(FOAM, smoothstep(0.012, 0.0, Math.abs(depth - 0.125 - (coral(y, x) - 0.5) * 0.03)) * 0.75)
        point.water = 1
        point.elevation = detail(x * 2, y * 2) * 3
        return
      }
      point.set(PALE_SAND)
      point.blend(leaf, smoothstep(-0.014, -0.03, depth))
      point.elevation = -depth * 330 + detail(x * 3, y * 3) * 4
    })
    scatter(surface, random, 17, (x, y) => {
      if (ground(x, y) < 0.634) return
      plantTree(surface, random, x, y, 8 + random() * 8, vary(pick(random, PALMS), random, 0.2))
    })
  },
}
const PALMS = [rgb('#3d6b2f'), rgb('#4f7d37'), rgb('#2f5a2b')]

/** Rows of parasols and towels between the promenade and clear water. */
export const beach: Scene = {
  sun: { side: -0.8, height: 42 },
  async build(surface, random) {
    const line = fractal(random, 1800)
    const detail = fractal(random, 360)
    const foam = ridges(random, 300)
    surface.paint((x, y, point) => {
      const away = y * 0.2 + x - 1280 + (line(x, y) - 0.5) * 420
      point.set(rgb('#ead8af'))
      point.brighten(0.93 + 0.14 * detail(x * 2.5, y * 2.5))
      point.elevation = detail(x * 3, y * 3) * 2.5
      if (away < -60) return
      point.blend(rgb('#c4a878'), smoothstep(-60, 0, away))
      if (away < 0) return
      point.set(rgb('#aee4d6'))
      point.blend(rgb('#35b3bd'), smoothstep(20, 260, away))
      point.blend(rgb('#127b9c'), smoothstep(200, 760, away))
      point.blend(FOAM, smoothstep(24, 0, away) * 0.9)
      point.blend(FOAM, smoothstep(0.6, 0.8, foam(x, y)) * smoothstep(14, 0, Math.abs(away - 120 - line(y, x) * 60)))
      point.elevation = detail(x, y) * 5
      point.water = 1
    })
    const drawing = new Drawing()
    drawing.polygon(
      [
        [0, 0],
        [120, 0],
        [60, 1500],
        [0, 1500],
      ],
      '#b9aa98',
    )
    drawing.line(
      [
        [124, 0],
        [64, 1500],
      ],
      { width: 16, colour: '#e6e2da', height: 7 },
    )
    const stripes = ['#d8413a', '#f2f0ea', '#2d6fb0', '#f0b429', '#2f9c83', '#e9e4d8']
    for (let row = 0; row < 17; row += 1) {
      for (let column = 0; column < 11; column += 1) {
        if (random() < 0.13) continue
        const x = 235 + column * 74 - row * 10 + random() * 12
        const y = 50 + row * 86 + random() * 12
        if (x + y * 0.2 - 1280 + (line(x, y) - 0.5) * 420 > -90) continue
        addParasol(drawing, [x, y], column % 3 === 2 ? pick(random, stripes) : (stripes[column % 3] as string))
        for (const side of [-15, 15]) {
          drawing.box([x + side, y + 34], [13, 33], random() * 0.2 - 0.1, pick(random, stripes), 3)
        }
      }
    }
    for (let swimmer = 0; swimmer < 46; swimmer += 1) {
      const y = random() * 1500
      drawing.circle([1330 + random() * 260 - y * 0.2 - (line(1200, y) - 0.5) * 420, y], 4, '#6b4a36', 3)
    }
    await surface.draw(drawing)
  },
}

function addParasol(drawing: Drawing, [x, y]: Position, colour: string): void {
  drawing.circle([x, y], 24, colour, 16)
  for (let part = 0; part < 4; part += 1) {
    const from = part * (Math.PI / 2)
    const rim = (angle: number): Position => [x + Math.cos(angle) * 23, y + Math.sin(angle) * 23]
    drawing.polygon([[x, y], rim(from), rim(from + Math.PI / 8), rim(from + Math.PI / 4)], '#ffffff9c')
  }
  drawing.circle([x, y], 3, '#f8f4ea', 4)
}
