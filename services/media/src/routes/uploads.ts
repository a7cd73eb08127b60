import { type App, badRequest, errorResponses, metrics, Nullable, requireUser } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import { toJson } from '../gallery/listing.ts'
import { PhotoBody, type PhotoJson, photoJson } from '../photos/photo.ts'
import { addPhotos, nothingStored, type Stored } from '../uploads/add-photos.ts'
import { addMetadataPhoto } from '../uploads/metadata-photos.ts'
import { originalsOf, type Received, type ReceivedFile, receiveUpload } from '../uploads/receive.ts'

const FOLDER_GONE = 'The folder was deleted meanwhile. The photos are stored without a folder.'
const FOLDER_GONE_FOR_KNOWN = 'The folder was deleted meanwhile. The photos stay where they were.'

const outcomes = metrics.counter('skyfolio_uploaded_files_total', 'Files that uploads brought', ['outcome'])
const bytes = metrics.counter('skyfolio_uploaded_bytes_total', 'Bytes of originals that were stored')
const Issues = Type.Array(Type.String(), { description: 'One sentence for each file that was not stored' })

const formFields = {
  description: Type.Optional(Type.String()),
  isPublic: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  folderId: Type.Optional(Type.String({ description: 'An own folder; `none` or empty for no folder' })),
}
const MetadataFlag = Type.Optional(
  Type.Union([Type.Literal('true'), Type.Literal('false')], {
    description: '`true`: a private photo of the metadata screen, in no gallery, folder or share',
  }),
)
const File = Type.String({ contentMediaType: 'application/octet-stream', description: 'A photo in an accepted format' })

const UploadedPhoto = Type.Intersect([
  PhotoBody,
  Type.Object({
    duplicate: Type.Optional(Type.Boolean({ description: 'The file was known: this is the photo that there was' })),
  }),
])
const FileResult = Type.Object(
  {
    photoId: Nullable(Type.Integer()),
    duplicate: Type.Boolean(),
    issue: Nullable(Type.String()),
  },
  { description: 'What became of one file' },
)
const Single = Type.Intersect([UploadedPhoto, Type.Object({ issues: Type.Optional(Issues) })])
const Several = Type.Object({
  photos: Type.Array(UploadedPhoto, { description: 'Each photo once, also when several files are it' }),
  issues: Issues,
  files: Type.Array(FileResult, { description: 'One for each file, in the order of the request' }),
})

type Answer = Type.Static<typeof Several>

/** What became of each file. The first file of a new photo made it, others that are it are duplicates. */
function fileResults(files: ReceivedFile[], { photoOf, created }: Stored): Answer['files'] {
  const seen = new Set<number>()
  return files.map((file) => {
    if ('refusal' in file) return { photoId: null, duplicate: false, issue: file.refusal.message }
    const photo = photoOf.get(file.original.sha256)
    if (!photo) throw new Error('a stored file without a photo')
    const duplicate = !created.has(photo.id) || seen.has(photo.id)
    seen.add(photo.id)
    return { photoId: photo.id, duplicate, issue: null }
  })
}

function outcomeOf({ issue, duplicate }: Answer['files'][number]): string {
  if (issue !== null) return 'refused'
  return duplicate ? 'duplicate' : 'stored'
}

/** Receives the files of a request. @throws AppError when none of them is good */
async function receive(deps: MediaDeps, request: FastifyRequest, fieldName: string, maxFiles: number) {
  const { userId } = requireUser(request)
  // Without a database nothing can be kept: better said before megabytes are sent.
  await deps.db.$queryRaw`SELECT 1`
  const received = await receiveUpload(deps, request, { userId, fieldName, maxFiles })
  const refusals = received.files.flatMap((file) => ('refusal' in file ? [file.refusal] : []))
  const failed = maxFiles === 1 ? 'Failed to upload photo' : 'Failed to upload photos'
  if (received.files.length === 0) throw badRequest('At least one photo is required')
  if (refusals.length === received.files.length) {
    outcomes.inc({ outcome: 'refused' }, refusals.length)
    throw nothingStored(failed, refusals)
  }
  return received
}

/** Makes photos of the files that are good. */
async function addToGallery(deps: MediaDeps, userId: number, received: Received): Promise<Answer> {
  const originals = originalsOf(received)
  const stored = await addPhotos(deps.db, deps.store, deps.folders, { userId, form: received.form, originals })
  // Each photo once, in the order of the files.
  const photos = [...new Set(originals.flatMap(({ sha256 }) => stored.photoOf.get(sha256) ?? []))]
  deps.committed(photos.filter(({ status }) => status === 'processing'))
  const results = fileResults(received.files, stored)
  for (const result of results) outcomes.inc({ outcome: outcomeOf(result) })
  for (const { id, filesize } of photos) if (stored.created.has(id)) bytes.inc(filesize)

  const issues = received.files.flatMap((file) => ('refusal' in file ? [file.refusal.message] : []))
  if (stored.folderGone) issues.push(stored.created.size > 0 ? FOLDER_GONE : FOLDER_GONE_FOR_KNOWN)
  const shown = await toJson(deps.db, photos)
  return {
    photos: shown.map((photo) => (stored.created.has(photo.id) ? photo : { ...photo, duplicate: true })),
    issues,
    files: results,
  }
}

/** Makes a photo of the metadata screen. */
async function addToMetadata(deps: MediaDeps, userId: number, received: Received): Promise<PhotoJson> {
  const [original] = originalsOf(received)
  if (!original) throw new Error('an upload without a photo')
  const photo = await addMetadataPhoto(deps.db, deps.store, userId, original)
  deps.committed([photo])
  outcomes.inc({ outcome: 'stored' })
  bytes.inc(photo.filesize)
  return photoJson(photo, null)
}

/** 201 when something new was stored, 200 when all of it was known. */
function statusOf({ photos }: Answer): 200 | 201 {
  return photos.every(({ duplicate }) => duplicate) ? 200 : 201
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
        body: Type.Object({ photo: File, ...formFields, metadata: MetadataFlag }),
        response: {
          200: Single,
          201: Single,
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const { userId } = requireUser(request)
      const received = await receive(deps, request, 'photo', 1)
      if (received.form.purpose === 'metadata') {
        return reply.code(201).send(await addToMetadata(deps, userId, received))
      }
      const answer = await addToGallery(deps, userId, received)
      const [photo] = answer.photos
      if (!photo) throw new Error('an upload without a photo')
      const { issues } = answer
      return reply.code(statusOf(answer)).send(issues.length > 0 ? { ...photo, issues } : photo)
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
          200: Several,
          201: Several,
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const received = await receive(deps, request, 'photos', deps.limits.filesPerUpload)
      const answer = await addToGallery(deps, requireUser(request).userId, received)
      return reply.code(statusOf(answer)).send(answer)
    },
  )
}
