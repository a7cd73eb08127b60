import type { Photo, Prisma } from '../generated/client.ts'

/** Fields that processing sets and the owner can correct. `position` is latitude and longitude. */
export type CorrectedField = 'city' | 'state' | 'position' | 'dateTaken'

export type Correctable = Pick<Photo, 'corrected' | 'state'>

/**
 * Omits the fields that the owner corrected from a result of processing. The place depends on the position: a correction
 * of the position has set the place too. The county is omitted when the owner set a different state.
 */
export function omitCorrectedFields<Result extends Prisma.PhotoUpdateManyMutationInput>(
  result: Result,
  { corrected, state }: Correctable,
): Result {
  const kept = { ...result }
  const isCorrected = (field: CorrectedField) => corrected.includes(field)
  if (isCorrected('dateTaken')) delete kept.dateTaken
  if (isCorrected('position')) {
    delete kept.latitude
    delete kept.longitude
  }
  if (isCorrected('position') || isCorrected('city')) delete kept.city
  if (isCorrected('position') || (isCorrected('state') && kept.state !== state)) delete kept.county
  if (isCorrected('position') || isCorrected('state')) delete kept.state
  return kept
}
