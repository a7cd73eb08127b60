import { type App, type AppError, badRequest, ErrorBody, metrics, signedIn } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import { PhotoBody, photoJson } from '../photo.ts'
import { receiveUpload } from '../receiving.ts'
import { addPhotos, nothingStored } from '../uploads.ts'

const FOLDER_GONE = 'The folder was deleted meanwhile. The photos are stored without a folder.'

const files = metrics.counter('media_uploaded_files_total', 'Files that uploads brought', ['outcome'])
const bytes = metrics.counter('media_uploaded_bytes_total', 'Bytes of originals that were stored')
const Issues = Type.Array(Type.String(), { description: 'One sentence for each file that was not stored' })

const formFields = {
  description: Type.Optional(Type.String()),
  isPublic: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  folderId: Type.Optional(Type.String({ description: 'An own folder; `none` or empty for no folder' })),
}
const File = Type.String({ contentMediaType: 'image/jpeg', description: 'A JPEG photo' })

/** Receives the files of a request and makes photos of those that are good. */
async function upload(deps: MediaDeps, request: FastifyRequest, fieldName: string, maxFiles: number) {
  const { userId } = signedIn(request)
  // Without a database nothing can be kept: better said before megabytes are sent.
  await deps.db.$queryRaw`SELECT 1`
  const received = await receiveUpload(deps, request, { userId, fieldName, maxFiles })
  const refusals = received.files.flatMap((file) => ('refusal' in file ? [file.refusal] : []))
  const failed = maxFiles === 1 ? 'Failed to upload photo' : 'Failed to upload photos'
  if (received.files.length === 0) throw badRequest('At least one photo is required')
  files.inc({ outcome: 'refused' }, refusals.length)
  if (refusals.length === received.files.length) throw nothingStored(failed, refusals)

  const { photos, folder, folderGone } = await addPhotos(deps.db, deps.store, userId, received)
  deps.committed(photos)
  files.inc({ outcome: 'stored' }, photos.length)
  for (const photo of photos) bytes.inc(photo.filesize)
  const issues = refusals.map((refusal: AppError) => refusal.message)
  if (folderGone) issues.push(FOLDER_GONE)
  return { photos: photos.map((photo) => photoJson(photo, folder)), issues }
}

export function uploadRoutes(app: App, deps: MediaDeps): void {
  const common = {
    config: { access: 'user' },
    // The parts of the form are checked as they come.
    validatorCompiler: () => () => true,
  } as const

  app.post(
    '/api/upload-photo',
    {
      ...common,
      schema: {
        consumes: ['multipart/form-data'],
        body: Type.Object({ photo: File, ...formFields }),
        response: {
          201: Type.Intersect([PhotoBody, Type.Object({ issues: Type.Optional(Issues) })]),
          '4xx': ErrorBody,
          '5xx': ErrorBody,
        },
      },
    },
    async (request, reply) => {
      const { photos, issues } = await upload(deps, request, 'photo', 1)
      const [photo] = photos
      if (!photo) throw new Error('an upload without a photo')
      return reply.code(201).send(issues.length > 0 ? { ...photo, issues } : photo)
    },
  )

  app.post(
    '/api/upload-photos',
    {
      ...common,
      schema: {
        consumes: ['multipart/form-data'],
        body: Type.Object({ photos: Type.Array(File), ...formFields }),
        response: {
          201: Type.Object({ photos: Type.Array(PhotoBody), issues: Issues }),
          '4xx': ErrorBody,
          '5xx': ErrorBody,
        },
      },
    },
    async (request, reply) => {
      const answer = await upload(deps, request, 'photos', deps.limits.filesPerUpload)
      return reply.code(201).send(answer)
    },
  )
}
