import { basename } from 'node:path'
import { invalidFields, UNPRINTABLE } from '@skyfolio/kit'
import type { Format } from '@skyfolio/proto'
import { shotName } from '../photos/pairs.ts'
import type { Purpose } from './rejections.ts'

/** The fields of an upload, without its files. */
export interface UploadForm {
  description: string | null
  /** The visibility of a photo without a folder; null when the form does not have the field. */
  isPublic: boolean | null
  folderId: number | null
  purpose: Purpose
}

const MAX_DESCRIPTION = 5_000
const MAX_NAME = 255
const MAX_INTEGER = 2 ** 31 - 1

/** Returns the form with one more field. Unknown fields are ignored. @throws AppError 400 */
export function withField(form: UploadForm, name: string, value: string): UploadForm {
  switch (name) {
    case 'description':
      return { ...form, description: readDescription(value) }
    case 'isPublic':
      return { ...form, isPublic: readFlag(value, name, 'public') }
    case 'folderId':
      return { ...form, folderId: readFolderId(value) }
    case 'metadata':
      return { ...form, purpose: readFlag(value, name, 'metadata') ? 'metadata' : 'gallery' }
    default:
      return form
  }
}

/** How browsers escape characters that a quoted name in a form cannot hold. */
const BROWSER_ESCAPES: Record<string, string> = { '%0D': '\r', '%0A': '\n', '%22': '"' }

/** The file name that a browser sends, without folders and unprintable characters. */
export function cleanName(sent: string | undefined): string {
  const decoded = (sent ?? '').replaceAll(/%0D|%0A|%22/g, (escaped) => BROWSER_ESCAPES[escaped] ?? '')
  const name = basename(decoded.replaceAll('\\', '/')).replaceAll(UNPRINTABLE, '')
  // Truncated by code points: half a surrogate pair could not be stored.
  return Array.from(name.trim()).slice(-MAX_NAME).join('').toWellFormed()
}

/** The file's name, or 'photo' with the true extension for a name without a title, such as '.jpg'. */
export function nameToKeep(name: string, format: Format): string {
  return shotName(name).trim() === '' ? `photo.${format}` : name
}

function readFolderId(text: string): number | null {
  if (text === '' || text === 'none') return null
  const id = Number(text)
  if (!/^[1-9]\d*$/.test(text) || id > MAX_INTEGER) throw invalidFields({ folderId: 'This is not a folder.' })
  return id
}

function readFlag(text: string, name: string, label: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidFields({ [name]: `The ${label} flag must be true or false.` })
}

function readDescription(text: string): string | null {
  const trimmed = text.replaceAll('\0', '').trim()
  if (trimmed.length > MAX_DESCRIPTION) {
    throw invalidFields({ description: `The description may have up to ${MAX_DESCRIPTION} characters.` })
  }
  return trimmed || null
}
