import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Call } from '../call.ts'
import { countOf, hasAny, Loose } from '../fields.ts'
import type { AcceptedCredentials } from '../types.ts'

/** The response has a token for uploads to the partner, which is never read. */
const Response = Type.Object({ uploadLimit: Loose, template: Loose, landingUrl: Loose, cloud: Loose })

export function credentialsCall(): Call<AcceptedCredentials> {
  return {
    name: 'credentials',
    path: '/api/photo/creds/v3',
    body: { platform: 'web', transaction: 'photocheckoutv2' },
    read: readCredentials,
  }
}

function readCredentials(response: unknown): AcceptedCredentials | null {
  if (!Value.Check(Response, response) || !hasAny(response, Object.keys(Response.properties))) return null
  return { uploadLimit: countOf(response.uploadLimit) }
}
