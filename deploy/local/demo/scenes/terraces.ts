import { fractal, hash, hills, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { type Colour, rgb } from '../surface.ts'
import { FIELD_LEAVES } from './elements.ts'

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
          vary(pick(random, FIELD_LEAVES), random, 0.15),
        )
      }
    })
  },
}
