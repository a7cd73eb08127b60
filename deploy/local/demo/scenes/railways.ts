import { curve, Drawing, type Position } from '../drawing.ts'
import { fractal } from '../noise.ts'
import { pick, plantTree, type Scene, vary } from '../scene.ts'
import { rgb } from '../surface.ts'

/** A marshalling yard with goods trains. */
export const railwayYard: Scene = {
  sun: { side: 0.8, height: 32, warmth: 0.8 },
  async build(surface, random) {
    const tones = fractal(random, 700)
    surface.paint((x, y, point) => {
      point.set(rgb('#7a6a5a'))
      point.blend(rgb('#938272'), tones(x, y))
      point.blend(rgb('#6e7a48'), (tones(y, x) - 0.58) * 5)
      point.brighten(0.85 + tones(x * 5, y * 5) * 0.3)
      point.elevation = tones(x * 3, y * 3) * 2
    })
    const drawing = new Drawing()
    const tracks = Array.from({ length: 21 }, (_, index) => track(index))
    for (const rails of tracks) addTrack(drawing, rails)
    for (const [index, rails] of tracks.entries()) {
      if (index % 7 === 3) continue
      addTrain(
        drawing,
        rails,
        Math.floor(random() * 30) * 2,
        24 + Math.floor(random() * 44),
        pick(random, TRAINS),
        random,
      )
    }
    for (let shed = 0; shed < 3; shed += 1) {
      drawing.box([250 + shed * 420, 120 - shed * 8], [330, 130], -0.05, '#8b8f92', 46)
      for (let light = 0; light < 6; light += 1)
        drawing.box([130 + shed * 420 + light * 48, 124 - shed * 8], [20, 96], -0.05, '#b9c4c9', 4)
    }
    await surface.draw(drawing)
    for (let tree = 0; tree < 90; tree += 1) {
      plantTree(
        surface,
        random,
        tree * 23,
        1440 + random() * 70,
        14 + random() * 10,
        vary(rgb('#566f38'), random, 0.25),
      )
    }
  },
}

const TRAINS = [
  ['#7a3b2c', '#8a4632'],
  ['#3f5f7a', '#a8382e', '#c7a13a', '#3f7d55'],
  ['#54585c', '#606468'],
  ['#c9c4b8', '#b5b0a4'],
  ['#2f4a3c', '#37574a'],
]

function track(index: number): Position[] {
  const y = 290 + index * 54
  const joined = 760 + (index - 10) * 16
  return curve(
    [
      [-60, y],
      [700, y - 10],
      [1300, y * 0.75 + joined * 0.25 - 20],
      [2060, joined - 80],
    ],
    30,
  )
}

function addTrack(drawing: Drawing, rails: readonly Position[]): void {
  drawing.line(rails, { width: 27, colour: '#8c7d70' })
  drawing.line(rails, { width: 20, colour: '#5d4f45', dash: '4 6' })
  drawing.line(rails, { width: 12.5, colour: '#c9c2ba' })
  drawing.line(rails, { width: 9.5, colour: '#76685c' })
}

function addTrain(
  drawing: Drawing,
  rails: readonly Position[],
  first: number,
  length: number,
  colours: readonly string[],
  random: () => number,
): void {
  const last = Math.min(rails.length - 3, first + length)
  for (let index = first; index < last; index += 2) {
    const from = rails[index] as Position
    const to = rails[index + 2] as Position
    const gap = 0.09
    const body: Position[] = [
      [from[0] + (to[0] - from[0]) * gap, from[1] + (to[1] - from[1]) * gap],
      [to[0] - (to[0] - from[0]) * gap, to[1] - (to[1] - from[1]) * gap],
    ]
    drawing.line(body, { width: 17, colour: pick(random, colours), height: 17 })
    drawing.line(body, { width: 9, colour: '#00000026' })
  }
}
