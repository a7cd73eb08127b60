import multipart from '@fastify/multipart'
import { type App, buildServer } from '@skyfolio/kit'
import type { MediaDeps } from './deps.ts'
import { createArchiveQueue, limitGalleryReads } from './limits.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { downloadRoutes } from './routes/downloads.ts'
import { exportRoutes } from './routes/exports.ts'
import { flightRoutes } from './routes/flights.ts'
import { galleryRoutes } from './routes/gallery.ts'
import { geocodeRoutes } from './routes/geocode.ts'
import { jobRoutes } from './routes/jobs.ts'
import { baseMapRoutes, photoMapRoutes } from './routes/map.ts'
import { metadataScreenRoutes } from './routes/metadata-screen.ts'
import { photoRoutes } from './routes/photos.ts'
import { fileRoutes, pictureRoutes } from './routes/pictures.ts'
import { sharedDownloadRoutes } from './routes/shared-downloads.ts'
import { storageRoutes } from './routes/storage.ts'
import { uploadPartRoutes, uploadSessionRoutes } from './routes/upload-sessions.ts'
import { printImageRoutes, uploadRoutes } from './routes/uploads.ts'

/** Builds the HTTP API of media. Tests use it without a port. */
export async function buildApp(deps: MediaDeps): Promise<App> {
  const { logger, identityKeys } = deps
  const app = await buildServer({
    name: 'media',
    title: 'Photos and uploads',
    logger,
    identityKeys,
    errorFieldPaths: ['/api/geocode', '/api/walgreens'],
  })
  // A file that is too large must not end the request: other files follow.
  await app.register(multipart, { throwFileSizeLimit: false, defParamCharset: 'utf8' } as object)
  uploadRoutes(app, deps)
  uploadSessionRoutes(app, deps)
  uploadPartRoutes(app, deps)
  printImageRoutes(app, deps)
  const reads = limitGalleryReads()
  galleryRoutes(app, deps, reads)
  flightRoutes(app, deps, reads)
  photoMapRoutes(app, deps, reads)
  metadataScreenRoutes(app, deps)
  photoRoutes(app, deps)
  storageRoutes(app, deps)
  jobRoutes(app, deps)
  bulkRoutes(app, deps)
  geocodeRoutes(app, deps)
  baseMapRoutes(app, deps)
  fileRoutes(app, deps)
  pictureRoutes(app, deps)
  const archives = createArchiveQueue()
  downloadRoutes(app, deps, archives)
  sharedDownloadRoutes(app, deps)
  exportRoutes(app, deps, archives)
  return app
}
