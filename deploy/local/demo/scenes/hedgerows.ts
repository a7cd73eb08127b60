import { fractal, hills } from '../noise.ts'
import { mosaic, pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { type Colour, rgb } from '../surface.ts'
import { FIELD_LEAVES } from './elements.ts'

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
      plantTree(surface, random, x, y, 5 + random() * 6, vary(pick(random, FIELD_LEAVES), random, 0.15))
    })
    scatter(surface, random, 95, (x, y) => {
      const wood = tones(y * 0.4, x * 0.4) > 0.63
      for (let tree = 0; tree < (wood ? 22 : random() < 0.12 ? 1 : 0); tree += 1) {
        const leaf = vary(pick(random, FIELD_LEAVES), random, 0.15)
        plantTree(surface, random, x + (random() - 0.5) * 105, y + (random() - 0.5) * 105, 10 + random() * 7, leaf)
      }
    })
  },
}
