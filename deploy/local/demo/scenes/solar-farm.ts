import { Drawing, type Position } from '../drawing.ts'
import { fractal } from '../noise.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { paintGround, TOWN_LEAVES } from './elements.ts'

/** Rows of solar panels on a meadow. */
export const solarFarm: Scene = {
  sun: { side: -0.5, height: 44, warmth: 0.3 },
  async build(surface, random) {
    const tones = fractal(random, 600)
    paintGround(surface, random, '#829a52', '#a6a562')
    const drawing = new Drawing()
    const angle = -0.16
    const at = (x: number, y: number): Position => [
      x * Math.cos(angle) - y * Math.sin(angle),
      x * Math.sin(angle) + y * Math.cos(angle),
    ]
    for (let row = 0; row < 44; row += 1) {
      for (let table = -2; table < 17; table += 1) {
        const [x, y] = at(table * 122 + (table > 7 ? 60 : 0), row * 44 + 40 + (row > 17 ? 70 : 0))
        const wild = tones(x * 0.5, y * 0.5) > 0.66 || x < 90
        if (wild) continue
        drawing.box([x, y], [116, 24], angle, '#24395c', 9)
        drawing.box([x, y - 6], [116, 10], angle, '#31507c')
        for (let panel = -3; panel <= 3; panel += 1)
          drawing.box([x + panel * 16.4, y + panel * 16.4 * -0.16], [1.2, 24], angle, '#9fb2c8')
      }
    }
    drawing.line([at(-100, 842), at(2300, 842)], { width: 24, colour: '#cdbd98' })
    drawing.line([at(1005, -100), at(1005, 1900)], { width: 20, colour: '#cdbd98' })
    drawing.box(at(1050, 868), [46, 26], angle, '#dad8d2', 18)
    await surface.draw(drawing)
    scatter(surface, random, 30, (x, y) => {
      if (tones(x * 0.5, y * 0.5) < 0.685 && x > 70) return
      plantTree(surface, random, x, y, 12 + random() * 10, vary(pick(random, TOWN_LEAVES), random, 0.15))
    })
  },
}
