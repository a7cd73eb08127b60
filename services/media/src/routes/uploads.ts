import { type App, errorFieldResponses, errorResponses, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { limitPerUser } from '../limits.ts'
import { savePrintUpload } from '../print-images/save-upload.ts'
import { findKnownFiles } from '../uploads/known-files.ts'
import {
  receiveFiles,
  SeveralPhotos,
  SinglePhoto,
  saveUpload,
  statusOf,
  toSinglePhoto,
} from '../uploads/save-upload.ts'
import { readUploadTerms } from '../usage/quota.ts'
import { MAX_IDS, signedIn } from './schemas.ts'

const formFields = {
  description: Type.Optional(Type.String()),
  isPublic: Type.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      description: 'Visibility of photos without a folder; by default the preference `publicByDefault` of the user',
    }),
  ),
  folderId: Type.Optional(Type.String({ description: 'A folder of the user; `none` or empty for no folder' })),
}
const MetadataFlag = Type.Optional(
  Type.Union([Type.Literal('true'), Type.Literal('false')], {
    description: '`true`: a private photo of the metadata screen, in no gallery, folder or share',
  }),
)
const File = Type.String({ contentMediaType: 'application/octet-stream', description: 'A photo in an accepted format' })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the file, in hex' })

const uploadPhoto = {
  summary: 'Stores a photo; 200 instead of 201 when the user has it already',
  consumes: ['multipart/form-data'],
  body: Type.Object({ photo: File, ...formFields, metadata: MetadataFlag }),
  response: { 200: SinglePhoto, 201: SinglePhoto, ...errorResponses },
}
const uploadPhotos = {
  summary: 'Stores several photos; a rejected file does not affect the others',
  consumes: ['multipart/form-data'],
  body: Type.Object({ photos: Type.Array(File), ...formFields }),
  response: { 200: SeveralPhotos, 201: SeveralPhotos, ...errorResponses },
}
const known = {
  summary:
    'Returns which of these files the user already has as photos, so that they need not be uploaded, and the storage quota',
  body: Type.Object({ hashes: Type.Array(Sha256, { maxItems: MAX_IDS }) }),
  response: {
    200: Type.Object({
      known: Type.Record(Type.String(), Type.Integer()),
      quota: Type.Object({
        used: Type.Integer({ description: 'Bytes of the originals of all photos of the user' }),
        limit: Nullable(Type.Integer({ description: 'Bytes that they may have; null: any number' })),
      }),
    }),
    ...errorResponses,
  },
}
const CHECKS_PER_USER = 2

/** The parts of the form are validated while they are received. */
const streamed = { ...signedIn, validatorCompiler: () => () => true }

export function uploadRoutes(app: App, deps: MediaDeps): void {
  const { db, pool, store, limits, defaultQuota } = deps
  // Each may request all of its files from the store.
  const checks = limitPerUser({ perKey: CHECKS_PER_USER, limit: 'known-files-of-user' })

  app.post('/api/upload-photo', { ...streamed, schema: uploadPhoto }, async (request, reply) => {
    const { userId } = requireUser(request)
    const upload = await receiveFiles(deps, request, { userId, fieldName: 'photo', maxFiles: 1 })
    const result = await saveUpload(deps, userId, upload)
    return reply.code(statusOf(result)).send(toSinglePhoto(result))
  })

  app.post('/api/upload-photos', { ...streamed, schema: uploadPhotos }, async (request, reply) => {
    const { userId } = requireUser(request)
    const upload = await receiveFiles(deps, request, { userId, fieldName: 'photos', maxFiles: limits.filesPerUpload })
    const result = await saveUpload(deps, userId, upload)
    return reply.code(statusOf(result)).send(result)
  })

  app.post('/api/photos/known', { ...signedIn, ...checks, schema: known }, async (request) => {
    const { userId } = requireUser(request)
    const known = await findKnownFiles(db, store, userId, request.body.hashes)
    return { known, quota: await readUploadTerms(pool, userId, defaultQuota) }
  })
}

const uploadImage = {
  summary: 'Converts an image for a print order, and returns a URL at which anybody can fetch it until it expires',
  consumes: ['multipart/form-data'],
  body: Type.Object({
    image: Type.String({ contentMediaType: 'application/octet-stream', description: 'A JPEG or PNG' }),
  }),
  response: {
    201: Type.Object({
      filename: Type.String({ description: 'Signed: the name of the file at /api/uploads/' }),
      url: Type.String(),
      expiresAt: Type.String({ format: 'date-time' }),
      width: Type.Integer({ description: 'Pixels of the converted image' }),
      height: Type.Integer(),
    }),
    ...errorFieldResponses,
  },
}
/** Images of print orders. Those of the user's photos are rendered at the request of print-orders, over NATS. */
export function printImageRoutes(app: App, deps: MediaDeps): void {
  app.post('/api/walgreens/upload-image', { ...streamed, schema: uploadImage }, async (request, reply) => {
    const { userId } = requireUser(request)
    return reply.code(201).send(await savePrintUpload(deps, request, userId))
  })
}
