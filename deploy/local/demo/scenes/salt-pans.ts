import { Drawing } from '../drawing.ts'
import { fractal, hash, smoothstep } from '../noise.ts'
import type { Scene } from '../scene.ts'
import { type Colour, rgb } from '../surface.ts'

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
