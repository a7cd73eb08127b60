import { Drawing } from '../drawing.ts'
import { fractal, hills, smoothstep } from '../noise.ts'
import { mosaic, type Scene } from '../scene.ts'
import { type Colour, rgb } from '../surface.ts'

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
