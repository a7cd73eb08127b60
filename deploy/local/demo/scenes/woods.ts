import { curve, Drawing, type Position } from '../drawing.ts'
import { fractal, type Random, smoothstep } from '../noise.ts'
import { pick, plantConifer, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { rgb, type Surface } from '../surface.ts'

/** A mixed forest in autumn with a road through it. */
export const autumn: Scene = {
  sun: { side: -0.8, height: 50, warmth: 0.7 },
  async build(surface, random) {
    const stands = fractal(random, 1100)
    paintFloor(surface, random, '#7a6c40', '#8a7046')
    const road = curve(
      [
        [-60, 1180],
        [420, 980],
        [760, 1060],
        [1140, 820],
        [1330, 420],
        [1700, 260],
        [2060, 60],
      ],
      24,
    )
    await drawRoad(surface, road, { verge: '#8a7d4c', asphalt: '#55555a', line: '#e9e4d2' })
    const warm = ['#d98a28', '#c8571f', '#e3b23a', '#b33f22', '#d6a032', '#a8622a', '#e0c04c'].map(rgb)
    const green = ['#5d7030', '#6f7d34', '#87863a'].map(rgb)
    scatter(surface, random, 26, (x, y) => {
      if (distanceTo(road, x, y) < 46) return
      const stand = stands(x, y)
      if (stand > 0.6 && random() < 0.8)
        return plantConifer(surface, x, y, 13 + random() * 7, vary(rgb('#2f4a2b'), random, 0.2))
      const leaf = pick(random, stand + random() * 0.25 > 0.52 ? warm : green)
      plantTree(surface, random, x, y, 14 + random() * 12, vary(leaf, random, 0.14))
    })
    await drawCars(surface, [road[40], road[78], road[103]], ['#c9302c', '#e8e8e6', '#2b4a78'])
  },
}

/** Conifers under snow with a ploughed road. */
export const snowForest: Scene = {
  sun: { side: 0.9, height: 38, warmth: 0.5 },
  async build(surface, random) {
    const stands = fractal(random, 1300)
    paintFloor(surface, random, '#e8edf4', '#f4f6fa')
    const road = curve(
      [
        [1180, -60],
        [1120, 260],
        [1290, 520],
        [1180, 800],
        [860, 1010],
        [800, 1270],
        [900, 1560],
      ],
      24,
    )
    await drawRoad(surface, road, { verge: '#dfe5ec', asphalt: '#7d8288', line: '#c9ced3' })
    scatter(surface, random, 33, (x, y) => {
      if (distanceTo(road, x, y) < 52 || stands(x, y) < 0.34 + random() * 0.1) return
      const radius = 11 + random() * 11
      plantConifer(surface, x, y, radius, vary(rgb('#566f66'), random, 0.2))
      for (let patch = 0; patch < 5; patch += 1) {
        const angle = random() * 6.3
        const away = radius * random() * 0.75
        surface.addDome(
          x + Math.cos(angle) * away,
          y + Math.sin(angle) * away,
          radius * 0.3,
          radius * 1.6,
          rgb('#eef3f8'),
        )
      }
    })
    await drawCars(surface, [road[60], road[112]], ['#b9302a', '#e0a82e'])
  },
}

function paintFloor(surface: Surface, random: Random, dark: string, bright: string): void {
  const tones = fractal(random, 700)
  const detail = fractal(random, 220)
  const [from, to] = [rgb(dark), rgb(bright)]
  surface.paint((x, y, point) => {
    point.set(from)
    point.blend(to, smoothstep(0.35, 0.65, tones(x, y)))
    point.elevation = tones(x, y) * 60 + detail(x, y) * 4
  })
}

async function drawRoad(
  surface: Surface,
  road: readonly Position[],
  colours: { verge: string; asphalt: string; line: string },
): Promise<void> {
  const drawing = new Drawing()
  drawing.line(road, { width: 66, colour: colours.verge })
  drawing.line(road, { width: 38, colour: colours.asphalt })
  drawing.line(road, { width: 1.8, colour: colours.line, dash: '14 16' })
  await surface.draw(drawing)
}

async function drawCars(surface: Surface, places: readonly (Position | undefined)[], colours: string[]): Promise<void> {
  const drawing = new Drawing()
  for (const [index, place] of places.entries()) {
    if (!place) continue
    const angle = 0.2 + index
    drawing.box([place[0] + 8, place[1] + 8], [26, 12], angle, colours[index] as string, 9)
    drawing.box([place[0] + 8, place[1] + 8], [11, 10], angle, '#22282e', 2)
  }
  await surface.draw(drawing)
}

function distanceTo(line: readonly Position[], x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY
  for (const [px, py] of line) nearest = Math.min(nearest, (px - x) ** 2 + (py - y) ** 2)
  return Math.sqrt(nearest)
}
