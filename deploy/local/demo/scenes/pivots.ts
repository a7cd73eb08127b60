import { Drawing } from '../drawing.ts'
import { fractal, hash, smoothstep } from '../noise.ts'
import type { Scene } from '../scene.ts'
import { type Colour, rgb } from '../surface.ts'

/** Circles that pivots water, in a dry plain. */
export const pivots: Scene = {
  sun: { side: -0.5, height: 50, warmth: 0.4 },
  async build(surface, random) {
    const tones = fractal(random, 900)
    const detail = fractal(random, 200)
    const crops = ['#5f8a35', '#7aa043', '#3f6b2b', '#b79a52', '#96743f', '#c9b06a', '#557c33', '#86642f'].map(rgb)
    const size = 402
    surface.paint((x, y, point) => {
      const column = Math.floor((x + 140) / size)
      const row = Math.floor((y + 60) / size)
      const dx = x + 140 - (column + 0.5) * size
      const dy = y + 60 - (row + 0.5) * size
      const distance = Math.hypot(dx, dy)
      point.set(rgb('#b69a70'))
      point.blend(rgb('#9d8a5c'), smoothstep(0.4, 0.65, tones(x, y)))
      point.elevation = detail(x * 2, y * 2) * 3
      if (distance < 188) {
        const sector = Math.atan2(dy, dx) + hash(column, row, 5) * 6 > 2.2 ? 1 : 2
        point.set(crops[Math.floor(hash(column, row, sector) * crops.length)] as Colour)
        point.brighten(0.94 + 0.12 * Math.sin(distance / (2.2 + hash(column, row, 9) * 2)))
        point.blend(rgb('#a98f55'), smoothstep(0.6, 0.8, tones(y * 2, x * 2)) * 0.45)
        if (Math.floor(distance) % 47 < 2) point.brighten(0.82)
      }
      point.brighten(0.92 + 0.16 * detail(x, y))
    })
    const drawing = new Drawing()
    for (let column = 0; column < 7; column += 1) {
      const x = column * size - 140
      drawing.line(
        [
          [x, 0],
          [x, 1500],
        ],
        { width: 9, colour: '#cdb68d' },
      )
      drawing.line(
        [
          [0, column * size - 60],
          [2000, column * size - 60],
        ],
        { width: column === 2 ? 15 : 8, colour: column === 2 ? '#77736c' : '#cdb68d' },
      )
      for (let row = 0; row < 5; row += 1)
        addPivotArm(drawing, x + size / 2, row * size - 60 + size / 2, random() * 6.3)
    }
    drawing.box([860, 722], [44, 30], 0, '#d8d6d0', 16)
    drawing.box([915, 716], [24, 24], 0, '#9b4a3b', 14)
    await surface.draw(drawing)
  },
}

function addPivotArm(drawing: Drawing, x: number, y: number, angle: number): void {
  const tip = [x + Math.cos(angle) * 184, y + Math.sin(angle) * 184] as const
  drawing.line([[x, y], tip], { width: 2.4, colour: '#e9ecec', height: 5 })
  drawing.circle([x, y], 5, '#d5d5d0', 6)
}
