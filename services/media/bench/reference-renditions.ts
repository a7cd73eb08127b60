import { readFile, writeFile } from 'node:fs/promises'
import sharp from 'sharp'

const INSIDE = { fit: 'inside', withoutEnlargement: true } as const

/** The cheapest way to make the same two files from a photo: one decode, and no checks. */
export async function makeReferenceRenditions(file: string): Promise<void> {
  const { data, info } = await sharp(await readFile(file), { sequentialRead: true })
    .autoOrient()
    .resize({ width: 2048, height: 2048, ...INSIDE })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const small = sharp(data, { raw: info })
  const [preview, thumbnail] = await Promise.all([
    small.clone().webp({ quality: 80 }).toBuffer(),
    small
      .clone()
      .resize({ width: 640, height: 1280, ...INSIDE })
      .webp({ quality: 75 })
      .toBuffer(),
  ])
  await Promise.all([writeFile(`${file}.preview.webp`, preview), writeFile(`${file}.thumbnail.webp`, thumbnail)])
}
