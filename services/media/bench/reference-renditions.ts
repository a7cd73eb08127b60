import { readFile, writeFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'

const INSIDE = { fit: 'inside', withoutEnlargement: true } as const
/** Without the preview, which is decoded first. */
const SIZES = [
  { name: 'small', width: 320, height: 640, quality: 80 },
  { name: 'thumbnail', width: 640, height: 1280, quality: 75 },
  { name: 'medium', width: 1280, height: 2048, quality: 65 },
]

/** The plain way to make the same four files from a large photo: one decode, and no checks. */
export async function makeReferenceRenditions(file: string): Promise<void> {
  const { data, info } = await sharp(await readFile(file), { sequentialRead: true })
    .autoOrient()
    .resize({ width: 2048, height: 2048, ...INSIDE })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const decoded = sharp(data, { raw: info })
  const write = async (name: string, image: Sharp, quality: number) =>
    writeFile(`${file}.${name}.webp`, await image.webp({ quality }).toBuffer())
  await Promise.all([
    write('preview', decoded.clone(), 80),
    ...SIZES.map(({ name, width, height, quality }) =>
      write(name, decoded.clone().resize({ width, height, ...INSIDE }), quality),
    ),
  ])
}
