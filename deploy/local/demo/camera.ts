import { createRandom, type Field, fractal } from './noise.ts'
import { type Colour, rgb, type Surface } from './surface.ts'

export interface Picture {
  width: number
  height: number
  /** Three values a pixel, 0 to 255 and beyond. */
  pixels: Float32Array
}

/** A camera that looks up the surface; the lower edges of picture and surface meet. */
export interface Tilt {
  /** Height of the camera above elevation 0, in pixels of the surface. */
  height: number
  /** Where the horizon is in the picture: 0 at the top, 1 at the bottom; negative for a look down without a sky. */
  horizon: number
  /** Distance at which haze has taken 63 % of the contrast. */
  haze?: number
  sky?: { zenith: Colour; horizon: Colour; clouds: number }
}

const FOCAL = 1500
const CLEAR_SKY = { zenith: rgb('#5f97cf'), horizon: rgb('#cfe0ee'), clouds: 0.5 }

/** A picture of the surface from straight above. */
export function lookDown({ width, height, colour }: Surface): Picture {
  return { width, height, pixels: colour }
}

/** A picture in perspective: each column is drawn from near to far, and what is near hides what is behind it. */
export function lookAhead(surface: Surface, tilt: Tilt, width: number, height: number): Picture {
  const pixels = new Float32Array(width * height * 3)
  const sky = tilt.sky ?? CLEAR_SKY
  const horizon = tilt.horizon * height
  paintSky({ width, height, pixels }, horizon, sky)
  const reach = tilt.haze ?? 4000
  const foot = (FOCAL * tilt.height) / (height - horizon)
  const near = foot / 2
  const far = Math.min(reach * 4, 16_000)
  const sample = sampler(surface)
  for (let column = 0; column < width; column += 1) {
    const slope = (column - width / 2) / FOCAL
    let open = height
    for (let z = near; z < far && open > 0; z += Math.max(0.6, (z * z) / (FOCAL * tilt.height))) {
      sample(surface.width / 2 + slope * z, surface.height + foot - z)
      const top = Math.max(0, Math.ceil(horizon + ((tilt.height - found.elevation) / z) * FOCAL))
      if (top >= open) continue
      const haze = 1 - Math.exp(-((z / reach) ** 1.4))
      const red = found.red + (sky.horizon[0] - found.red) * haze
      const green = found.green + (sky.horizon[1] - found.green) * haze
      const blue = found.blue + (sky.horizon[2] - found.blue) * haze
      for (let row = top; row < open; row += 1) {
        const at = (row * width + column) * 3
        pixels[at] = red
        pixels[at + 1] = green
        pixels[at + 2] = blue
      }
      open = top
    }
  }
  return { width, height, pixels }
}

const found = { red: 0, green: 0, blue: 0, elevation: 0 }

/** Reads the surface between its pixels into `found`; beyond the edges it goes on mirrored. */
function sampler({ width, height, colour, elevation }: Surface): (x: number, y: number) => void {
  return (x, y) => {
    const u = mirror(x, width - 1.01)
    const v = mirror(y, height - 1.01)
    const column = u | 0
    const row = v | 0
    const fx = u - column
    const fy = v - row
    const a = row * width + column
    const c = a + width
    const wa = (1 - fx) * (1 - fy)
    const wb = fx * (1 - fy)
    const wc = (1 - fx) * fy
    const wd = fx * fy
    found.elevation = blend(elevation, a, c, 1)
    found.red = blend(colour, a * 3, c * 3, 3)
    found.green = blend(colour, a * 3 + 1, c * 3 + 1, 3)
    found.blue = blend(colour, a * 3 + 2, c * 3 + 2, 3)

    function blend(values: Float32Array, upper: number, lower: number, step: number): number {
      return (
        (values[upper] as number) * wa +
        (values[upper + step] as number) * wb +
        (values[lower] as number) * wc +
        (values[lower + step] as number) * wd
      )
    }
  }
}

function mirror(value: number, size: number): number {
  if (value >= 0 && value < size) return value
  const turn = ((value % (2 * size)) + 2 * size) % (2 * size)
  return turn < size ? turn : 2 * size - turn
}

function paintSky({ width, height, pixels }: Picture, horizon: number, sky: NonNullable<Tilt['sky']>): void {
  const cloud: Field = fractal(createRandom(11), 2600)
  for (let row = 0; row < height; row += 1) {
    const above = Math.max(0, horizon - row) / height
    const tint = 1 - Math.exp(-above * 4)
    for (let column = 0; column < width; column += 1) {
      const distance = 1 / (above + 0.06)
      const density = cloud((column - width / 2) * distance * 0.22, distance * 420)
      const white = Math.min(1, Math.max(0, (density - 0.52) * 3.2)) * sky.clouds * Math.min(1, above * 9)
      const at = (row * width + column) * 3
      for (let channel = 0; channel < 3; channel += 1) {
        const low = sky.horizon[channel] as number
        const clear = low + ((sky.zenith[channel] as number) - low) * tint
        pixels[at + channel] = clear + (246 - clear) * white
      }
    }
  }
}
