import { type App, errorResponses, requireUser } from '@skyfolio/kit'
import type { MediaDeps } from '../deps.ts'
import { readStorage, StorageBody } from '../usage/storage.ts'
import { signedIn } from './schemas.ts'

const read = {
  summary: 'Returns what takes the storage of the user: by folder, by year, and on the metadata screen',
  response: { 200: StorageBody, ...errorResponses },
}

export function storageRoutes(app: App, deps: MediaDeps): void {
  app.get('/api/photos/storage', { ...signedIn, schema: read }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    return readStorage(deps, requireUser(request).userId)
  })
}
