import { curve, Drawing } from '../drawing.ts'
import { fractal, hills, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { rgb } from '../surface.ts'
import { TOWN_LEAVES } from './elements.ts'

/** Fairways, bunkers and a pond. */
export const golf: Scene = {
  sun: { side: -0.9, height: 28, warmth: 0.8 },
  async build(surface, random) {
    const shape = hills(random, 1300)
    const detail = fractal(random, 420)
    const greens: readonly [number, number, number][] = [
      [420, 420, 92],
      [1540, 360, 84],
      [1180, 1130, 100],
    ]
    const bunkers: readonly [number, number, number][] = [
      [290, 500, 44],
      [540, 330, 38],
      [560, 480, 30],
      [1420, 290, 40],
      [1650, 440, 46],
      [1060, 1230, 42],
      [1310, 1080, 36],
      [820, 700, 34],
      [930, 640, 26],
    ]
    const inside = (spots: readonly [number, number, number][], x: number, y: number) => {
      let most = -1
      for (const [cx, cy, radius] of spots) {
        most = Math.max(most, 1 - Math.hypot(x - cx, (y - cy) * 1.2) / radius + (detail(x, y) - 0.5) * 0.5)
      }
      return most
    }
    surface.paint((x, y, point) => {
      const fairway = smoothstep(0.5, 0.505, shape(x, y) + (detail(x, y) - 0.5) * 0.02)
      const mown = Math.sin((x + y * 0.6) / 13) > 0 ? 1.05 : 0.96
      point.set(rgb('#5d7a38'))
      point.blend(rgb('#87803f'), smoothstep(0.5, 0.8, detail(y, x)) * 0.6)
      point.elevation = shape(x, y) * 34 + detail(x * 2, y * 2) * 3 * (1 - fairway)
      if (fairway > 0) {
        point.blend(rgb('#779a48'), fairway)
        point.brighten(mown)
      }
      const green = inside(greens, x, y)
      if (green > 0) {
        point.set(rgb('#8fb45c'))
        point.brighten(Math.sin((x - y) / 9) > 0 ? 1.03 : 0.98)
      }
      const bunker = inside(bunkers, x, y)
      if (bunker > 0) {
        point.set(rgb('#efe2bf'))
        point.elevation -= smoothstep(0, 0.4, bunker) * 12
      }
      const pond = 1 - Math.hypot((x - 780) / 250, (y - 1030) / 140) + (detail(x, y) - 0.5) * 0.7
      if (pond > 0 && green <= 0) {
        point.set(rgb('#3f6a78'))
        point.blend(rgb('#27505f'), smoothstep(0, 0.4, pond))
        point.elevation = 45
        point.water = 0.8
      }
    })
    const drawing = new Drawing()
    drawing.line(
      curve([
        [-20, 900],
        [300, 760],
        [560, 820],
        [900, 860],
        [1300, 800],
        [1700, 900],
        [2020, 860],
      ]),
      { width: 11, colour: '#d6cbb2' },
    )
    for (const [x, y] of greens) {
      drawing.line(
        [
          [x, y],
          [x + 2, y],
        ],
        { width: 3, colour: '#f4f0e0', height: 40 },
      )
      drawing.box([x + 6, y - 2], [12, 7], 0, '#d3342c', 3)
    }
    for (const [x, y] of [
      [700, 812],
      [1480, 838],
    ])
      drawing.box([x as number, y as number], [15, 10], 0.2, '#f4f4f0', 9)
    await surface.draw(drawing)
    scatter(surface, random, 36, (x, y) => {
      if (shape(x, y) > 0.475 || inside(bunkers, x, y) > -0.5 || inside(greens, x, y) > -0.6 || surface.isWater(x, y))
        return
      if (random() < 0.5)
        plantTree(surface, random, x, y, 12 + random() * 12, vary(pick(random, TOWN_LEAVES), random, 0.15))
    })
  },
}
