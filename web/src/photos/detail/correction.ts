import type { Correction } from '../../api/photo-changes.ts'
import type { Photo } from '../../api/types.ts'
import { z } from '../../lib/forms.ts'

const LATITUDE = 'The latitude must be a number from -90 to 90.'
const LONGITUDE = 'The longitude must be a number from -180 to 180.'
const BOTH_REQUIRED = 'Please give latitude and longitude together.'

const atMost = (length: number, message: string) => z.string().check(z.trim(), z.maxLength(length, message))

/** Degrees as a text, or nothing. */
const degrees = (limit: number, message: string) =>
  z.string().check(
    z.trim(),
    z.refine(
      (text) => text === '' || (/^[+-]?\d{1,3}(\.\d+)?$/.test(text) && Math.abs(Number(text)) <= limit),
      message,
    ),
  )

/** The form of a correction: empty texts stand for unknown values. */
export const correctionSchema = z
  .object({
    title: atMost(255, 'The title may have up to 255 characters.'),
    description: atMost(5000, 'The description may have up to 5000 characters.'),
    city: atMost(100, 'The city may have up to 100 characters.'),
    state: atMost(100, 'The state may have up to 100 characters.'),
    latitude: degrees(90, LATITUDE),
    longitude: degrees(180, LONGITUDE),
    /** The camera's local time; its zone is kept separately. */
    dateTaken: z.string(),
  })
  .check(
    z.superRefine(({ latitude, longitude }, context) => {
      if ((latitude === '') === (longitude === '')) return
      context.addIssue({ code: 'custom', path: [latitude === '' ? 'latitude' : 'longitude'], message: BOTH_REQUIRED })
    }),
  )
export type CorrectionFields = z.infer<typeof correctionSchema>

const ISO_DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/

/** The form's values for a photo. */
export function fieldsOf(photo: Photo): CorrectionFields {
  return {
    title: photo.title,
    description: photo.description ?? '',
    city: photo.city ?? '',
    state: photo.state ?? '',
    latitude: photo.latitude ?? '',
    longitude: photo.longitude ?? '',
    dateTaken: ISO_DATE_TIME.exec(photo.dateTaken ?? '')?.[1] ?? '',
  }
}

/** The zone of the photo's date: '+02:00', 'Z', or empty if it is unknown. */
export function zoneOf(photo: Photo): string {
  return ISO_DATE_TIME.exec(photo.dateTaken ?? '')?.[2] ?? ''
}

/** The changed fields. Unchanged fields are absent, so that they do not count as corrected. */
export function correctionBetween(before: CorrectionFields, after: CorrectionFields, zone: string): Correction {
  const changed = (name: keyof CorrectionFields) => before[name] !== after[name]
  const moved = changed('latitude') || changed('longitude')
  return {
    ...(changed('title') && { title: after.title }),
    ...(changed('description') && { description: after.description || null }),
    ...(changed('city') && { city: after.city || null }),
    ...(changed('state') && { state: after.state || null }),
    ...(moved && { latitude: after.latitude || null, longitude: after.longitude || null }),
    ...(changed('dateTaken') && { dateTaken: after.dateTaken ? after.dateTaken + zone : null }),
  }
}
