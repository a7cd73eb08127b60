import sharp from 'sharp'
import type { Picture } from './camera.ts'
import { createRandom } from './noise.ts'

const GRAIN = 2.6
const VIGNETTE = 0.2
const GRAIN_VALUES = grainValues()

/** What a lens and a sensor add: vignette, a soft shoulder in the highlights, grain, a little blur. Returns a TIFF. */
export async function finish({ width, height, pixels }: Picture): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(width * height * 3)
  for (let y = 0, at = 0, seed = 0; y < height; y += 1) {
    const down = (y / height - 0.5) ** 2
    seed = (seed * 31 + 7919) & 0xffff
    for (let x = 0; x < width; x += 1, at += 3) {
      const corner = (x / width - 0.5) ** 2 + down
      const light = 1 - VIGNETTE * corner
      const grain = GRAIN_VALUES[(seed + x * 7) & 0xffff] as number
      for (let channel = 0; channel < 3; channel += 1) {
        bytes[at + channel] = shoulder((pixels[at + channel] as number) * light) + grain
      }
    }
  }
  return sharp(bytes, { raw: { width, height, channels: 3 } })
    .blur(0.55)
    .modulate({ saturation: 1.08 })
    .tiff({ compression: 'none' })
    .toBuffer()
}

/** Keeps highlights below white; leaves room for the grain, since a byte does not saturate but wraps around. */
function shoulder(value: number): number {
  if (value < 9) return 9
  if (value < 190) return value
  return 190 + 54 * (1 - Math.exp((190 - value) / 60))
}

function grainValues(): Float32Array {
  const random = createRandom(5)
  return Float32Array.from({ length: 0x10000 }, () => (random() + random() + random() - 1.5) * 2 * GRAIN)
}
