import { Drawing } from '../drawing.ts'
import { fractal, hills, smoothstep } from '../noise.ts'
import { mosaic, pick, plantTree, type Scene } from '../scene.ts'
import { rgb } from '../surface.ts'
import { FIELD_LEAVES } from './elements.ts'

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
      plantTree(
        surface,
        random,
        1080 + random() * 260,
        1100 + random() * 50,
        14 + random() * 9,
        pick(random, FIELD_LEAVES),
      )
    }
  },
}
