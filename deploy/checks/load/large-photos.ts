import { dronePhoto, packagedPhotos, samplePhotos } from '@skyfolio/testkit'
import sharp from 'sharp'

/** Wider than the widest rendition. */
const WINDOW = { width: 2600, height: 1950 }
const SHOT = { width: 4000, height: 2250 }

/** JPEGs that are different parts of drone photos of 4000 × 2250, or of packaged photos enlarged to that by mirroring. */
export async function* createPhotos(count: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const shots = samplePhotos()?.drone ?? (await Promise.all(packagedPhotos().map(enlarge)))
  for (let index = 0; index < count; index += 1) {
    const step = Math.floor(index / shots.length) / Math.ceil(count / shots.length)
    const left = Math.floor(step * (SHOT.width - WINDOW.width))
    const top = Math.floor(step * (SHOT.height - WINDOW.height))
    const image = await sharp(shots[index % shots.length])
      .extract({ left, top, ...WINDOW })
      .jpeg({ quality: 95 })
      .toBuffer()
    yield new Uint8Array(await dronePhoto({ base: image, latitude: 46.84 + index / 1000, longitude: -91.99 }))
  }
}

async function enlarge(path: string): Promise<Buffer> {
  const { width, height } = await sharp(path).metadata()
  const [right, bottom] = [SHOT.width - width, SHOT.height - height]
  return sharp(path).extend({ right, bottom, extendWith: 'mirror' }).jpeg({ quality: 100 }).toBuffer()
}
