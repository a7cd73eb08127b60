import { invalidFields, oneLine } from '@skyfolio/kit'
import { Type } from 'typebox'
import { parseCameraDate } from '../metadata/tag-values.ts'
import type { Correction } from './corrections.ts'

const Text = (maxLength: number, messages: string | { type: string; maxLength: string }) =>
  Type.Optional(Type.Union([Type.String({ maxLength, 'x-message': messages }), Type.Null()]))
const Words = (name: string, maxLength: number) =>
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
/** Decimal places of a degree that the database keeps, about a centimetre. */
const PLACES = 7

export const CorrectionBody = Type.Object({
  title: Words('title', 255),
  description: Words('description', 5000),
  city: Words('city', 100),
  state: Words('state', 100),
  latitude: Degrees(LATITUDE),
  longitude: Degrees(LONGITUDE),
  dateTaken: Text(40, DATE),
})
type Body = Type.Static<typeof CorrectionBody>

/** The correction that a request asks for; null empties a field. @throws AppError 400 with a sentence for each field */
export function readCorrection(body: Body): Correction {
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
  }
}

function nullUnlessAbsent(value: unknown): null | undefined {
  return value === undefined ? undefined : null
}

/** A text that keeps its lines. */
function paragraphs(text: string | null | undefined): string | null | undefined {
  const clean = text
    ?.replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim()
    .toWellFormed()
  return clean || nullUnlessAbsent(text)
}

function readPosition({ latitude, longitude }: Body, fields: Record<string, string>): Correction['position'] {
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
  return Math.abs(number) <= limit ? number.toFixed(PLACES) : undefined
}

const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/

/**
 * A date keeps its zone, or that it has none: without one it is the time on the wall where the photo was taken. Dates
 * and zones that no camera could have written are none here either.
 */
function readDate(value: string | null | undefined, fields: Record<string, string>): string | null | undefined {
  const text = value?.trim()
  if (text === undefined) return value === null ? null : undefined
  if (text === '') return null
  const [written, zone] = WRITTEN.exec(text) ?? []
  const found = parseCameraDate(written)
  if (found && found.zone === zone) return found.local + (zone ?? '')
  fields.dateTaken = DATE
  return undefined
}
