import multipart from '@fastify/multipart'
import { type App, buildServer, type Logger, type ObjectStore, type Relay } from '@skyfolio/kit'
import type { UploadLimits } from '@skyfolio/proto'
import type { Database } from './database.ts'
import type { Photo } from './generated/client.ts'
import type { Places } from './places/places.ts'
import type { Folders } from './projection/folders.ts'
import { changeRoutes } from './routes/changes.ts'
import { correctionRoutes } from './routes/corrections.ts'
import { fileRoutes } from './routes/files.ts'
import { geocodeRoutes } from './routes/geocode.ts'
import { metadataRoutes } from './routes/metadata.ts'
import { photoRoutes } from './routes/photos.ts'
import { uploadRoutes } from './routes/uploads.ts'
import type { PaceLimits } from './uploads/minimum-rate.ts'
import type { Slots } from './uploads/slots.ts'

export interface MediaDeps extends PaceLimits {
  logger: Logger
  identityKeys: string[]
  db: Database
  store: ObjectStore
  folders: Folders
  places: Places
  relay: Pick<Relay, 'wake'>
  slots: Slots
  limits: UploadLimits
  /** Told of photos that wait to be processed right after their commit; must neither wait nor throw. */
  committed(photos: Photo[]): void
}

/** The HTTP side of media, usable without a port. */
export async function buildApp(deps: MediaDeps): Promise<App> {
  const { logger, identityKeys } = deps
  const app = await buildServer({
    name: 'media',
    title: 'Skyfolio media',
    logger,
    identityKeys,
    errorFieldPaths: ['/api/geocode'],
  })
  // A file that is too large must not end the request: its neighbours follow.
  await app.register(multipart, { throwFileSizeLimit: false, defParamCharset: 'utf8' } as object)
  uploadRoutes(app, deps)
  photoRoutes(app, deps)
  metadataRoutes(app, deps)
  changeRoutes(app, deps)
  correctionRoutes(app, deps)
  geocodeRoutes(app, deps)
  fileRoutes(app, deps)
  return app
}
