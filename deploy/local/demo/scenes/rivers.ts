import { fractal, ridges, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { rgb } from '../surface.ts'

/** A glacial river that parts into many arms over black and golden sand. */
export const braided: Scene = {
  sun: { side: -0.4, height: 38 },
  build(surface, random) {
    const warp = fractal(random, 1700)
    const strands = ridges(random, 1500)
    const detail = fractal(random, 260)
    const tones = fractal(random, 1300)
    surface.paint((x, y, point) => {
      const bend = (warp(x, y) - 0.5) * 700
      const channel = strands((x + bend) * 0.42 + y * 0.2, y * 1.25 + bend * 0.7) + (detail(x, y) - 0.5) * 0.09
      point.set(rgb('#4b4944'))
      point.blend(rgb('#a98a55'), smoothstep(0.42, 0.66, tones(x, y)))
      point.blend(rgb('#6e7a45'), smoothstep(0.6, 0.72, warp(y, x)) * 0.7)
      point.brighten(0.85 + detail(x * 3, y * 3) * 0.3)
      point.elevation = (0.75 - channel) * 15 + detail(x, y) * 2
      const water = smoothstep(0.615, 0.65, channel)
      if (water <= 0) return
      point.blend(rgb('#8fa7a0'), water)
      point.blend(rgb('#5d93a6'), smoothstep(0.68, 0.8, channel))
      point.blend(rgb('#b9cfd2'), smoothstep(0.6, 0.9, detail(x * 1.4, y * 0.6)) * water * 0.4)
      point.water = water
    })
  },
}

/** A brown river that winds through rainforest. */
export const meander: Scene = {
  sun: { side: -0.7, height: 56, warmth: 0.5 },
  build(surface, random) {
    const tones = fractal(random, 900)
    const detail = fractal(random, 300)
    const middle = (y: number) => 1000 + Math.sin(y / 270) * 430 + Math.sin(y / 141 + 1) * 90
    const away = (x: number, y: number) => {
      const slope = (Math.cos(y / 270) * 430) / 270 + (Math.cos(y / 141 + 1) * 90) / 141
      return Math.abs(x - middle(y) + (detail(x, y) - 0.5) * 40) / Math.hypot(1, slope)
    }
    surface.paint((x, y, point) => {
      const distance = away(x, y)
      point.set(rgb('#2c4a24'))
      if (distance < 116) point.set(rgb('#b89f6e'))
      if (distance >= 96) return
      point.set(rgb('#8a6a43'))
      point.blend(rgb('#a58455'), smoothstep(50, 92, distance))
      point.brighten(0.93 + 0.14 * tones(x * 0.6, y * 2))
      point.water = 0.5
    })
    const leaves = ['#48703a', '#56803f', '#3d6334', '#648a43', '#75924a', '#4c783f'].map(rgb)
    scatter(surface, random, 19, (x, y) => {
      if (away(x, y) < 112 + tones(x * 2, y * 2) * 30) return
      const radius = random() < 0.05 ? 22 + random() * 10 : 10 + random() * 9
      const leaf = random() < 0.006 ? rgb('#c9a13b') : vary(pick(random, leaves), random, 0.18)
      plantTree(surface, random, x, y, radius, leaf)
    })
  },
}

/** Clear ice with white cracks and trapped snow. */
export const ice: Scene = {
  sun: { side: 0.5, height: 26, warmth: 0.1 },
  build(surface, random) {
    const warp = fractal(random, 900)
    const cracks = [ridges(random, 2600), ridges(random, 1300), ridges(random, 700)]
    const snow = fractal(random, 1100)
    const detail = fractal(random, 160)
    surface.paint((x, y, point) => {
      const bend = (warp(x, y) - 0.5) * 130
      point.set(rgb('#0c3a4e'))
      point.blend(rgb('#2f8a99'), smoothstep(0.25, 0.75, snow(y, x)))
      point.blend(rgb('#5fc0c4'), smoothstep(0.5, 0.85, warp(y, x)) * 0.5)
      for (const [level, crack] of cracks.entries()) {
        const edge = 0.85 - level * 0.015
        point.blend(
          rgb('#d9f1f0'),
          smoothstep(edge - 0.08, edge + 0.05, crack(x + bend, y + bend)) * (0.9 - level * 0.2),
        )
      }
      const drift = smoothstep(0.54, 0.6, snow(x, y) + (detail(x, y) - 0.5) * 0.12)
      point.blend(rgb('#f1f5f8'), drift)
      point.elevation = drift * 9 + detail(x, y) * drift * 2
      point.water = 0.3 * (1 - drift)
    })
  },
}
