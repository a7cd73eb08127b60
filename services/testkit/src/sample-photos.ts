import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface SamplePhotos {
  /** JPEGs of DJI drones with GPS and XMP. */
  drone: string[]
  /** Photos and other images with good, odd and broken EXIF. */
  exif: string[]
}

/** Sample photographs outside the repository (SAMPLE_PHOTOS, default `../shared/data` beside it); null where there are none. */
export function samplePhotos(): SamplePhotos | null {
  const beside = fileURLToPath(new URL('../../../../shared/data', import.meta.url))
  const folder = process.env.SAMPLE_PHOTOS ?? beside
  if (!existsSync(join(folder, 'drone'))) return null
  const files = (name: string) =>
    readdirSync(join(folder, name), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'LICENSE')
      .map((entry) => join(folder, name, entry.name))
      .sort()
  return { drone: files('drone'), exif: files('exif') }
}
