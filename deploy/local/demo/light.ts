import type { Surface } from './surface.ts'

export interface Sun {
  /** Where the light comes from: -1 is the upper left, 0 the top, 1 the upper right. */
  side: number
  /** Degrees above the horizon. */
  height: number
  /** 0 is a neutral noon, 1 a golden evening. */
  warmth?: number
}

/** The part of the direct light that a cast shadow takes. */
const SHADE = 0.8

/** Lights the surface: hill shading, cast shadows, and glints on water. Replaces its colours. */
export function light(surface: Surface, sun: Sun): void {
  const { width, height, colour, elevation, water } = surface
  const shadow = castShadows(surface, sun)
  const up = Math.sin((sun.height * Math.PI) / 180)
  const along = Math.cos((sun.height * Math.PI) / 180)
  const length = Math.hypot(sun.side, 1)
  const sunX = (sun.side * along) / length
  const sunY = -along / length
  const warmth = sun.warmth ?? 0.3
  const direct = [0.7 + 0.06 * warmth, 0.68 - 0.01 * warmth, 0.64 - 0.1 * warmth] as const
  const ambient = [0.3, 0.33, 0.4 - 0.02 * warmth] as const
  for (let y = 0; y < height; y += 1) {
    const above = y > 0 ? -width : 0
    const below = y < height - 1 ? width : 0
    for (let x = 0; x < width; x += 1) {
      const index = y * width + x
      const left = x > 0 ? index - 1 : index
      const right = x < width - 1 ? index + 1 : index
      const slopeX = ((elevation[right] as number) - (elevation[left] as number)) / 2
      const slopeY = ((elevation[index + below] as number) - (elevation[index + above] as number)) / 2
      const facing = (up - slopeX * sunX - slopeY * sunY) / Math.sqrt(1 + slopeX * slopeX + slopeY * slopeY)
      const wet = water[index] as number
      const dark = (shadow[index] as number) * (1 - 0.55 * wet)
      const lit = Math.min(1.65, Math.max(0, facing) / up) * (1 - dark)
      const glint = wet > 0 && facing > 0.97 ? (facing - 0.97) * 900 * wet * (1 - dark) : 0
      for (let channel = 0; channel < 3; channel += 1) {
        const brightness = (ambient[channel] as number) + (direct[channel] as number) * lit
        colour[index * 3 + channel] = (colour[index * 3 + channel] as number) * brightness + glint
      }
    }
  }
}

/**
 * How much of the sun each pixel lacks. The top edge of the shadow is carried on from row to row, away from the sun,
 * which needs one look at each pixel.
 */
function castShadows({ width, height, elevation }: Surface, sun: Sun): Float32Array {
  const shadow = new Float32Array(width * height)
  const shift = -sun.side
  const drop = Math.tan((sun.height * Math.PI) / 180) * Math.hypot(1, shift)
  let previous = new Float32Array(width).fill(-1e9)
  let current = new Float32Array(width)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const from = Math.min(width - 1.001, Math.max(0, x - shift))
      const column = Math.floor(from)
      const part = from - column
      const carried = (previous[column] as number) * (1 - part) + (previous[column + 1] as number) * part - drop
      const here = elevation[y * width + x] as number
      const depth = (carried - here) / 1.5
      shadow[y * width + x] = depth <= 0 ? 0 : depth >= 1 ? SHADE : depth * SHADE
      current[x] = Math.max(carried, here)
    }
    ;[previous, current] = [current, previous]
  }
  return shadow
}
