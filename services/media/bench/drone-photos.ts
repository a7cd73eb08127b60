import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import sharp from 'sharp'

/** Sizes of drone cameras: 12 and 20 megapixels. */
const SIZES = [
  { width: 4000, height: 3000 },
  { width: 5280, height: 3956 },
]

/** JPEGs as drones write them, with EXIF and XMP: packaged photographs, enlarged by mirroring. */
export async function createDronePhotos(count: number): Promise<Buffer[]> {
  const bases = packagedPhotos()
  const photos: Buffer[] = []
  for (let index = 0; index < count; index += 1) {
    const base = bases[index % bases.length] as string
    const { width, height } = SIZES[index % SIZES.length] as (typeof SIZES)[number]
    const about = await sharp(base).metadata()
    const [right, bottom] = [width - about.width, height - about.height]
    const large = await sharp(base).extend({ right, bottom, extendWith: 'mirror' }).jpeg({ quality: 100 }).toBuffer()
    photos.push(await dronePhoto({ base: large, latitude: 46.84 + index / 1000, longitude: -91.99 }))
  }
  return photos
}
