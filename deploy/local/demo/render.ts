import { lookAhead, lookDown } from './camera.ts'
import { finish } from './finish.ts'
import type { Flight } from './flights.ts'
import { light } from './light.ts'
import { createRandom } from './noise.ts'
import { Surface } from './surface.ts'

const WIDTH = 2000
const HEIGHT = 1500

/** The picture of a flight, as an uncompressed TIFF. The same flight gives the same picture. */
export async function renderFlight({ scene, title }: Flight): Promise<Buffer> {
  const [width, height] = scene.size ?? [WIDTH, HEIGHT]
  const surface = new Surface(width, height)
  await scene.build(surface, createRandom(seedOf(title)))
  light(surface, scene.sun)
  return finish(scene.tilt ? lookAhead(surface, scene.tilt, WIDTH, HEIGHT) : lookDown(surface))
}

function seedOf(title: string): number {
  let seed = 17
  for (const letter of title) seed = (Math.imul(seed, 31) + (letter.codePointAt(0) ?? 0)) >>> 0
  return seed
}
