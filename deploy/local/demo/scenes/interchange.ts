import { curve, Drawing, type Position } from '../drawing.ts'
import { fractal, type Random, smoothstep } from '../noise.ts'
import { pick, plantTree, type Scene, scatter, vary } from '../scene.ts'
import { rgb } from '../surface.ts'
import { addCar, TOWN_LEAVES } from './elements.ts'

/** A motorway interchange as a clover leaf among trees. */
export const interchange: Scene = {
  sun: { side: -0.6, height: 42, warmth: 0.3 },
  async build(surface, random) {
    const tones = fractal(random, 700)
    surface.paint((x, y, point) => {
      point.set(rgb('#748a48'))
      point.blend(rgb('#94975a'), smoothstep(0.4, 0.65, tones(x, y)))
      point.brighten(0.86 + tones(x * 4, y * 4) * 0.28)
      point.elevation = tones(x * 3, y * 3) * 3
    })
    const drawing = new Drawing()
    const loops = [0, 1, 2, 3].map((quarter) => loop([1000, 750], (quarter * Math.PI) / 2 - 0.2))
    const slips = [0, 1, 2, 3].map((quarter) => slip([1000, 750], (quarter * Math.PI) / 2 - 0.2))
    for (const ramp of [...loops, ...slips]) {
      drawing.line(ramp, { width: 31, colour: '#8d8a80' })
      drawing.line(ramp, { width: 24, colour: '#63646a' })
      drawing.line(ramp, { width: 1.4, colour: '#e8e5da' })
    }
    addMotorway(drawing, random, -0.2, 0)
    addMotorway(drawing, random, -0.2 + Math.PI / 2, 20)
    await surface.draw(drawing)
    const isFree = (x: number, y: number) =>
      [...loops, ...slips].every((ramp) => ramp.every(([px, py]) => Math.abs(px - x) + Math.abs(py - y) > 42)) &&
      [-0.2, -0.2 + Math.PI / 2].every(
        (angle) => Math.abs(-(x - 1000) * Math.sin(angle) + (y - 750) * Math.cos(angle)) > 84,
      )
    scatter(surface, random, 27, (x, y) => {
      if (tones(x, y) < 0.47 || !isFree(x, y)) return
      plantTree(surface, random, x, y, 9 + random() * 9, vary(pick(random, TOWN_LEAVES), random, 0.18))
    })
  },
}

function loop([x, y]: Position, angle: number): Position[] {
  const points: Position[] = []
  for (let step = 0; step <= 40; step += 1) {
    const turn = angle + (step / 40) * Math.PI * 1.5 - Math.PI / 2
    const middle: Position = [x + Math.cos(angle + Math.PI / 4) * 262, y + Math.sin(angle + Math.PI / 4) * 262]
    points.push([middle[0] + Math.cos(turn) * 150, middle[1] + Math.sin(turn) * 150])
  }
  return points
}

function slip([x, y]: Position, angle: number): Position[] {
  const at = (along: number, across: number): Position => [
    x + along * Math.cos(angle) - across * Math.sin(angle),
    y + along * Math.sin(angle) + across * Math.cos(angle),
  ]
  return curve([at(1300, 62), at(760, 66), at(470, 190), at(190, 470), at(66, 760), at(62, 1300)], 14)
}

function addMotorway(drawing: Drawing, random: Random, angle: number, height: number): void {
  const at = (along: number, across: number): Position => [
    1000 + along * Math.cos(angle) - across * Math.sin(angle),
    750 + along * Math.sin(angle) + across * Math.cos(angle),
  ]
  const reach = height > 0 ? 210 : 1400
  drawing.line([at(-1400, 0), at(1400, 0)], { width: 128, colour: '#8d8a80' })
  if (height > 0) drawing.line([at(-reach, 0), at(reach, 0)], { width: 124, colour: '#a3a099', height })
  drawing.line([at(-1400, 0), at(1400, 0)], { width: 112, colour: '#5e5f65' })
  drawing.line([at(-1400, 0), at(1400, 0)], { width: 10, colour: '#8a9460' })
  for (const across of [-52, -8, 8, 52])
    drawing.line([at(-1400, across), at(1400, across)], { width: 1.8, colour: '#efece2' })
  for (const across of [-37, -22, 22, 37]) {
    drawing.line([at(-1400, across), at(1400, across)], { width: 1.5, colour: '#e6e3da', dash: '14 18' })
  }
  for (let car = 0; car < 46; car += 1) {
    const lane = pick(random, [-44, -30, -15, 15, 30, 44])
    const place = at((random() - 0.5) * 2500, lane)
    if (random() < 0.2 && Math.abs(lane) > 40)
      drawing.box(place, [44, 11], angle, pick(random, ['#eceae4', '#b8402f', '#3f6ea3']), 14)
    else addCar(drawing, random, place, angle)
  }
}
