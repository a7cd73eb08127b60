import { partRequest, type S3Target, signPath } from './s3-sign.ts'
import { isSinglePart } from './s3-single-part.ts'
import type { TemporaryCredentials } from './temporary-credentials.ts'
import type { DirectParts } from './types.ts'

const URL_SECONDS = 600

/** Credentials for objects whose keys begin with the prefix; null while there are none. */
export type UploadCredentials = (prefix: string) => Promise<TemporaryCredentials | null>

/** Signs parts for the store as browsers reach it. */
export function directParts(target: S3Target, credentialsOf: UploadCredentials): DirectParts {
  return {
    origin: target.endpoint.origin,
    async sign(upload, parts) {
      // A signed PUT of an object could change it later.
      if (isSinglePart(upload)) return null
      const found = await credentialsOf(prefixOf(upload.key))
      if (!found) return null
      const now = Date.now()
      const seconds = Math.min(URL_SECONDS, Math.floor((found.expiresAt - now) / 1000))
      const signed = parts.map((part) => {
        const request = partRequest(upload, part)
        // The browser itself sends the length.
        const { 'content-length': _, ...headers } = request.headers
        const path = signPath(target, found.credentials, request, seconds)
        return { number: part.number, url: target.endpoint.origin + path, headers }
      })
      return { parts: signed, expiresAt: new Date(now + seconds * 1000) }
    },
  }
}

/** The folder and the first four characters of the name, which change with the day (`DirectParts`). */
function prefixOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 5)
}
