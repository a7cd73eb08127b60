import type { Photo } from '../api/types.ts'
import { isDng } from '../components/renditions.ts'

// Apart from the other facts: visitors wait for the badges.

const FORMATS: Record<string, string> = { jpg: 'JPEG', png: 'PNG', tif: 'TIFF', gif: 'GIF', bmp: 'BMP', dng: 'DNG' }

/** The format by the stored name, whose extension is reliable: 'JPEG'. */
export function formatOf({ filename }: Pick<Photo, 'filename'>): string {
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()
  return FORMATS[extension] ?? extension.toUpperCase()
}

type File = Pick<Photo, 'filename'>

/** The formats that badges name: of a pair those of both files, and DNG of a raw file that is alone. */
export function badgeFormats(photo: File & { raw: File | null }): string[] {
  if (photo.raw) return [formatOf(photo), formatOf(photo.raw)]
  return isDng(photo) ? [formatOf(photo)] : []
}
