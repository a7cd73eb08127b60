import { CONTAINER } from '../orders/blobs.ts'
import { MINUTE } from '../state/clock.ts'
import { type Call, COMMON_FIELDS, SUCCESS } from './call.ts'
import type { Fields } from './fields.ts'

/** `/api/photo/creds/v3`: limits, and the container for uploads. */
export function fetchCredentials({ state, request, profile, faults, now, origin }: Call): Fields {
  request.expectOnly(...COMMON_FIELDS, 'platform', 'transaction', 'publisherId')
  request.text('platform')
  const lifetime = faults.get('expired-sas') ? -MINUTE : profile.sasMinutes * MINUTE
  const sasKeyToken = `${origin}/${CONTAINER}?${state.blobs.signature(now + lifetime)}`
  const landingUrl = `${origin}/photoprints`
  return { ...SUCCESS, uploadLimit: profile.maximumImages, template: 'default', landingUrl, cloud: [{ sasKeyToken }] }
}
