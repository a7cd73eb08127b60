import { Drawing } from '../drawing.ts'
import { fractal, hash, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene } from '../scene.ts'
import { type Colour, rgb } from '../surface.ts'
import { FIELD_LEAVES } from './elements.ts'

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
      plantTree(surface, random, 1400 + tree * 36, 228 - tree * 12, 17, pick(random, FIELD_LEAVES))
  },
}
