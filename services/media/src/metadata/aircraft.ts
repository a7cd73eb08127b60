import { createHash } from 'node:crypto'
import { readDroneTags } from './drone-tags.ts'
import { parseText, type TagGroups } from './tag-values.ts'

/** 132 bits of a hash, in base64. */
const HASH_LENGTH = 22
const MAX_SERIAL = 100
/** What cameras write that have no serial number. */
const UNKNOWN = /^(?:[0\W_]*|unknown|none|default|null|n\/?a)$/i

/**
 * Which aircraft, or else which camera, took the photo: a hash of its maker and its serial number, so that the number itself is
 * stored nowhere. DJI writes that of the aircraft in its XMP; others, Autel and Parrot among them, that of the camera in EXIF.
 */
export function readAircraft(tags: TagGroups): string | undefined {
  const serial = readSerial(tags)
  if (serial === undefined) return undefined
  const make = parseText(tags.ifd0?.Make) ?? parseText(tags['XMP-tiff']?.Make) ?? ''
  return createHash('sha256').update(`${make}\n${serial}`).digest('base64url').slice(0, HASH_LENGTH)
}

function readSerial(tags: TagGroups): string | undefined {
  const { ifd0 = {}, exif = {}, 'XMP-exifEX': exifEx = {}, 'XMP-aux': aux = {} } = tags
  const written = [
    readDroneTags(tags).DroneSerialNumber,
    // EXIF's BodySerialNumber, by the name that exifr has for it.
    exif.SerialNumber,
    exifEx.BodySerialNumber,
    aux.SerialNumber,
    // Of a DNG.
    ifd0.CameraSerialNumber,
  ]
  return written.map((value) => parseText(value, MAX_SERIAL)).find((text) => text !== undefined && !UNKNOWN.test(text))
}
