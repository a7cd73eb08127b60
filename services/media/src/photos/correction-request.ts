import { invalidFields, oneLine } from '@skyfolio/kit'
import { Type } from 'typebox'
import { parseCameraDate } from '../metadata/tag-values.ts'
import { type Correction, DECIMAL_PLACES } from './corrections.ts'

const Text = (maxLength: number, messages: string | { type: string; maxLength: string }) =>
  Type.Optional(Type.Union([Type.String({ maxLength, 'x-message': messages }), Type.Null()]))
const Name = (name: string, maxLength: number) =>
  Text(maxLength, {
    type: `The ${name} must be a text.`,
    maxLength: `The ${name} may have up to ${maxLength} characters.`,
  })
const Degrees = (message: string) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: 40 }), Type.Number(), Type.Null()], {
      description: 'Decimal degrees, as text or number; latitude and longitude together',
      'x-message': message,
    }),
  )

const LATITUDE = 'The latitude must be a number from -90 to 90.'
const LONGITUDE = 'The longitude must be a number from -180 to 180.'
const DATE = 'Please give the date as year-month-dayThour:minute, with or without a zone.'

export const CorrectionSchema = Type.Object({
  title: Name('title', 255),
  description: Name('description', 5000),
  city: Name('city', 100),
  state: Name('state', 100),
  latitude: Degrees(LATITUDE),
  longitude: Degrees(LONGITUDE),
  dateTaken: Text(40, DATE),
  pairedWith: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), Type.Null()], {
      description:
        'The other file of the same shot; null separates the two for good. A JPEG and a DNG or TIFF that fit are a pair: else 409',
      'x-message': 'The other file must be the id of a photo, or null.',
    }),
  ),
})
type CorrectionRequest = Type.Static<typeof CorrectionSchema>

/** Parses and validates a correction; null clears a field. @throws AppError 400 with a sentence for each invalid field */
export function readCorrection(body: CorrectionRequest): Correction {
  const fields: Record<string, string> = {}
  const position = readPosition(body, fields)
  const dateTaken = readDate(body.dateTaken, fields)
  if (Object.keys(fields).length > 0) throw invalidFields(fields)
  return {
    title: body.title === null ? '' : body.title && oneLine(body.title),
    description: paragraphs(body.description),
    city: oneLine(body.city ?? '') || nullUnlessAbsent(body.city),
    state: oneLine(body.state ?? '') || nullUnlessAbsent(body.state),
    position,
    dateTaken,
    pairedWith: body.pairedWith,
  }
}

function nullUnlessAbsent(value: unknown): null | undefined {
  return value === undefined ? undefined : null
}

/** Removes control characters except line feeds and tabs. */
function paragraphs(text: string | null | undefined): string | null | undefined {
  const clean = text
    ?.replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim()
    .toWellFormed()
  return clean || nullUnlessAbsent(text)
}

function readPosition(
  { latitude, longitude }: CorrectionRequest,
  fields: Record<string, string>,
): Correction['position'] {
  if (latitude === undefined && longitude === undefined) return undefined
  if (latitude === null && longitude === null) return null
  const together = 'Please give latitude and longitude together.'
  if (latitude === undefined || latitude === null) fields.latitude = together
  if (longitude === undefined || longitude === null) fields.longitude = together
  const y = degrees(latitude, 90)
  const x = degrees(longitude, 180)
  if (y === undefined) fields.latitude ??= LATITUDE
  if (x === undefined) fields.longitude ??= LONGITUDE
  return y === undefined || x === undefined ? undefined : { latitude: y, longitude: x }
}

function degrees(value: string | number | null | undefined, limit: number): string | undefined {
  const text = String(value ?? '').trim()
  const number = typeof value === 'number' || /^[+-]?\d{1,3}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  return Math.abs(number) <= limit ? number.toFixed(DECIMAL_PLACES) : undefined
}

const DATE_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/

/**
 * A date keeps its zone, or the lack of one: without a zone it is the local time where the photo was taken. Dates and
 * zones that would be invalid in a file's metadata are rejected here too.
 */
function readDate(value: string | null | undefined, fields: Record<string, string>): string | null | undefined {
  const text = value?.trim()
  if (text === undefined) return value === null ? null : undefined
  if (text === '') return null
  const [written, zone] = DATE_PATTERN.exec(text) ?? []
  const found = parseCameraDate(written)
  // In a file 24 is the first hour of the day, in ISO 8601 of the next one.
  if (found && found.zone === zone && !text.includes('T24')) return found.local + (zone ?? '')
  fields.dateTaken = DATE
  return undefined
}
