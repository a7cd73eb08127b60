import type { Photo, Prisma } from '../generated/client.ts'

/** Fields that processing sets and the owner may correct. `position` is latitude and longitude. */
export type CorrectedField = 'city' | 'state' | 'position' | 'dateTaken'

export type Correctable = Pick<Photo, 'corrected' | 'state'>

/**
 * The result of processing without what the owner corrected. The place belongs to the position: that of a corrected
 * one was named when it was corrected. The county is left out where the owner says that the state is another one.
 */
export function withoutCorrected<Result extends Prisma.PhotoUpdateManyMutationInput>(
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
