import { Drawing } from '../drawing.ts'
import { fractal, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene } from '../scene.ts'
import { rgb, type Surface } from '../surface.ts'

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
