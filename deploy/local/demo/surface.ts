import sharp from 'sharp'
import type { Drawing } from './drawing.ts'
import { hash } from './noise.ts'

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number]

/** Roughness of domes, so that a crown looks like leaves. */
const SPECKLES = Float32Array.from({ length: 4096 }, (_, index) => hash(index, 1, 3) - 0.5)

const parsed = new Map<string, Colour>()

/** `#rrggbb` as numbers. Parsed once, since shaders call it for every pixel. */
export function rgb(hex: string): Colour {
  const known = parsed.get(hex)
  if (known) return known
  const value = Number.parseInt(hex.slice(1), 16)
  const colour: Colour = [value >> 16, (value >> 8) & 255, value & 255]
  parsed.set(hex, colour)
  return colour
}

/** One point of the ground, which a scene fills in. */
export class Point {
  red = 0
  green = 0
  blue = 0
  /** In pixels, the same unit as across. */
  elevation = 0
  /** 1 where the sun is mirrored and no shadow falls, 0 on dry land. */
  water = 0

  set([red, green, blue]: Colour): void {
    this.red = red
    this.green = green
    this.blue = blue
  }

  /** Mixes in a colour; `amount` beyond 0 to 1 counts as 0 or 1. */
  blend([red, green, blue]: Colour, amount: number): void {
    const share = amount < 0 ? 0 : amount > 1 ? 1 : amount
    this.red += (red - this.red) * share
    this.green += (green - this.green) * share
    this.blue += (blue - this.blue) * share
  }

  brighten(factor: number): void {
    this.red *= factor
    this.green *= factor
    this.blue *= factor
  }
}

/** A piece of ground seen from straight above: colour, elevation and water of every pixel. North is up. */
export class Surface {
  readonly width: number
  readonly height: number
  /** Three values a pixel. */
  readonly colour: Float32Array
  readonly elevation: Float32Array
  readonly water: Float32Array
  /** The elevation without domes, on which further domes stand. */
  private readonly ground: Float32Array

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.colour = new Float32Array(width * height * 3)
    this.elevation = new Float32Array(width * height)
    this.water = new Float32Array(width * height)
    this.ground = new Float32Array(width * height)
  }

  paint(shade: (x: number, y: number, point: Point) => void): void {
    const point = new Point()
    for (let y = 0, index = 0; y < this.height; y += 1) {
      for (let x = 0; x < this.width; x += 1, index += 1) {
        point.elevation = 0
        point.water = 0
        shade(x, y, point)
        this.setColour(index, point.red, point.green, point.blue)
        this.elevation[index] = point.elevation
        this.water[index] = point.water
      }
    }
    this.ground.set(this.elevation)
  }

  /** A round body such as a tree's crown or a boulder, standing on the ground at its centre. */
  addDome(x: number, y: number, radius: number, height: number, [red, green, blue]: Colour): void {
    const centre = this.indexAt(x, y)
    if (centre < 0) return
    const ground = this.ground[centre] as number
    const left = Math.max(0, Math.ceil(x - radius))
    const right = Math.min(this.width - 1, Math.floor(x + radius))
    const bottom = Math.min(this.height - 1, Math.floor(y + radius))
    for (let row = Math.max(0, Math.ceil(y - radius)); row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) {
        const away = ((column - x) ** 2 + (row - y) ** 2) / radius ** 2
        if (away >= 1) continue
        const index = row * this.width + column
        const speckle = SPECKLES[(column * 61 + row * 1973) & 4095] as number
        const top = ground + height * (Math.sqrt(1 - away) + speckle * 0.12)
        if (top <= (this.elevation[index] as number)) continue
        this.elevation[index] = top
        this.water[index] = 0
        const shade = 0.72 + 0.34 * (1 - away) + speckle * 0.22
        this.setColour(index, red * shade, green * shade, blue * shade)
      }
    }
  }

  /** Puts vector shapes on top: their colours, and their heights above the ground. */
  async draw(drawing: Drawing): Promise<void> {
    const [colours, heights] = await Promise.all([
      this.rasterize(drawing.colours()),
      drawing.hasHeights ? this.rasterize(drawing.heights()) : null,
    ])
    for (let index = 0, at = 0; index < this.elevation.length; index += 1, at += 4) {
      const alpha = (colours[at + 3] as number) / 255
      if (alpha > 0) {
        const rest = 1 - alpha
        for (let channel = 0; channel < 3; channel += 1) {
          const position = index * 3 + channel
          this.colour[position] = (this.colour[position] as number) * rest + (colours[at + channel] as number) * alpha
        }
        this.water[index] = (this.water[index] as number) * rest
      }
      if (heights?.[at + 3]) {
        const height = ((heights[at] as number) * (heights[at + 3] as number)) / 255
        this.elevation[index] = (this.elevation[index] as number) + height
      }
    }
    this.ground.set(this.elevation)
  }

  isWater(x: number, y: number): boolean {
    const index = this.indexAt(x, y)
    return index >= 0 && (this.water[index] as number) > 0.3
  }

  private indexAt(x: number, y: number): number {
    const column = Math.round(x)
    const row = Math.round(y)
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return -1
    return row * this.width + column
  }

  private setColour(index: number, red: number, green: number, blue: number): void {
    this.colour[index * 3] = red
    this.colour[index * 3 + 1] = green
    this.colour[index * 3 + 2] = blue
  }

  private rasterize(shapes: string): Promise<Buffer> {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}">${shapes}</svg>`
    return sharp(Buffer.from(svg), { unlimited: true }).ensureAlpha().raw().toBuffer()
  }
}
