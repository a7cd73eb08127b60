import { extname } from 'node:path'
import { withTrueExtension } from '../files/responses.ts'
import type { Photo } from '../generated/client.ts'

/** Characters of a name, so that paths stay short enough for every system, with the folder that they are unpacked into. */
const MAX_FOLDER = 60
const MAX_FILE = 80
const MAX_EXTENSION = 12
/** File systems allow 255 bytes for a name; some is left for a number and an extension. */
const MAX_BYTES = 200

/** Control and formatting characters, which also reverse the direction of text, line separators, and lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const EXTENSION = /\.[^. ]+$/
const FORBIDDEN = /[<>:"/\\|?*]/g
/** Devices of Windows, whatever the extension. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i

/** A name for a file that every system accepts, with its extension. Empty names become `fallback`. */
export function safeFileName(name: string, fallback: string): string {
  const clean = withoutDangers(name)
  const extension = EXTENSION.exec(clean)?.[0] ?? ''
  const kept = Array.from(extension).length <= MAX_EXTENSION ? extension : ''
  const stem = shorten(clean.slice(0, clean.length - kept.length), MAX_FILE)
  return stem === '' ? fallback : guard(stem + kept)
}

/** A name for a photo's original, with the extension of its true format. */
export function safePhotoName({ id, filename, originalName }: Pick<Photo, 'id' | 'filename' | 'originalName'>): string {
  const fallback = withTrueExtension(filename, `photo-${id}`)
  return safeFileName(originalName === '' ? fallback : withTrueExtension(filename, originalName), fallback)
}

/** A name for a photo's file for visitors, who do not learn the original name: its title. @param storedName has the extension */
export function safeTitle({ id, title }: Pick<Photo, 'id' | 'title'>, storedName: string): string {
  const extension = extname(storedName)
  return safeFileName(`${title}${extension}`, `photo-${id}${extension}`)
}

/** A name for a directory that every system accepts. */
export function safeFolderName(name: string, fallback: string): string {
  const clean = shorten(withoutDangers(name), MAX_FOLDER)
  return clean === '' ? fallback : guard(clean)
}

/**
 * Gives each name once: a further one that some system would take for the same, because of upper case or the form of its
 * accents, gets a number before its extension.
 */
export function createUniqueNames(): (name: string) => string {
  const used = new Set<string>()
  const numbers = new Map<string, number>()
  return (name) => {
    const key = comparable(name)
    let unique = name
    let taken = key
    for (let number = numbers.get(key) ?? 1; used.has(taken); numbers.set(key, number)) {
      number += 1
      unique = withNumber(name, number)
      taken = comparable(unique)
    }
    used.add(taken)
    return unique
  }
}

function withoutDangers(name: string): string {
  const visible = name.replaceAll(INVISIBLE, '').normalize('NFC').replaceAll(FORBIDDEN, '_')
  return withoutEnd(visible.replaceAll(/\s+/g, ' '))
}

/** Windows drops dots and spaces at the end. A pattern would try each of them that is not there as a beginning. */
function withoutEnd(name: string): string {
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1
  return name.slice(0, end)
}

/** A dot at the beginning hides a file, or leads out of the directory. */
function trim(name: string): string {
  return withoutEnd(name).replace(/^[. ]+/, '')
}

/** By code points, and not before an accent, which would belong to nothing. */
function shorten(name: string, length: number): string {
  const characters = Array.from(name)
  let end = 0
  let bytes = 0
  for (const character of characters.slice(0, length)) {
    bytes += Buffer.byteLength(character)
    if (bytes > MAX_BYTES) break
    end += 1
  }
  if (end === characters.length) return trim(name)
  while (end > 0 && /\p{M}/u.test(characters[end] ?? '')) end -= 1
  return trim(characters.slice(0, end).join(''))
}

/** Programs take a name that begins with a hyphen for an option. */
function guard(name: string): string {
  return RESERVED.test(name) || name.startsWith('-') ? `_${name}` : name
}

function comparable(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

function withNumber(name: string, number: number): string {
  const dot = name.search(EXTENSION)
  return dot <= 0 ? `${name} (${number})` : `${name.slice(0, dot)} (${number})${name.slice(dot)}`
}
