import { ErrorBody, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import { Id } from '../routes/schemas.ts'
import { QUOTA_EXCEEDED } from '../usage/quota.ts'

/** What one request may declare; its JSON is accepted by the gateway. */
export const MAX_FILES = 20
export const MAX_PARTS_PER_REQUEST = 400
/** Parts of one file. */
const MAX_PARTS = 10_000
/** Parts in the responses with URLs. */
export const MAX_URLS = 100

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in hex' })
const PartNumber = Type.Integer({ minimum: 1, maximum: MAX_PARTS })

export const SessionParams = Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{32}$' }) })
export const PartParams = Type.Object({ ...SessionParams.properties, number: PartNumber })

export const DeclaredFileBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 1000 }),
  size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  sha256: Sha256,
  partBytes: Type.Integer({ minimum: 1, description: 'Size of every part; the last one may be shorter' }),
  parts: Type.Array(Sha256, { maxItems: MAX_PARTS_PER_REQUEST, description: 'SHA-256 of each part, in their order' }),
  selectedAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Time of upload of the photo, an hour ago at most: files of one selection keep its order, whichever is declared first. ' +
        'Reckoned from `createdAt` of the first session of the selection. Without it the files have the order of the request',
    }),
  ),
})

export const CreateBody = Type.Object({
  files: Type.Array(DeclaredFileBody, { minItems: 1, maxItems: MAX_FILES }),
  folderId: Type.Optional(Nullable(Id)),
  isPublic: Type.Optional(Type.Boolean({ description: 'Visibility of photos without a folder' })),
  description: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Boolean({ description: 'Private photos of the metadata screen' })),
  direct: Type.Optional(Type.Boolean({ description: 'False: no URLs are wanted, parts go through Skyfolio' })),
})

const SessionState = Type.Union([Type.Literal('open'), Type.Literal('completed'), Type.Literal('failed')])

/** 409, with what the client needs to go on. */
export const SessionConflictBody = Type.Object({
  ...ErrorBody.properties,
  state: Type.Optional(SessionState),
  missing: Type.Optional(Type.Array(PartNumber)),
})

const SignedUpload = Type.Object(
  {
    number: PartNumber,
    url: Type.String({ description: 'Where to PUT the bytes of the part, without credentials' }),
    headers: Type.Record(Type.String(), Type.String(), { description: 'Headers that the request must have' }),
  },
  { description: 'A part that can be sent straight to the object store' },
)

export const Session = Type.Object({
  id: Type.String(),
  name: Type.String(),
  sha256: Type.String(),
  size: Type.Integer(),
  partBytes: Type.Integer(),
  state: SessionState,
  missing: Nullable(Type.Array(PartNumber, { description: 'Parts that are not stored; null in a list' })),
  uploads: Nullable(
    Type.Array(SignedUpload, { description: 'The first missing parts; null: parts go through Skyfolio' }),
  ),
  uploadsExpireAt: Nullable(Type.String({ format: 'date-time' })),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time', description: 'Then what was stored of it is removed' }),
  photoId: Nullable(Type.Integer()),
  message: Nullable(Type.String({ description: 'Why it failed' })),
})

export const Quota = Type.Object({
  used: Type.Integer({ description: 'Bytes of the originals of all photos of the user, and of open upload sessions' }),
  limit: Nullable(Type.Integer({ description: 'Bytes that they may have; null: any number' })),
})

export const CreateResult = Type.Union([
  Type.Object({ state: Type.Literal('known'), photoId: Type.Integer() }, { description: 'The user has this photo' }),
  Type.Object({ state: Type.Literal('open'), session: Session }),
  Type.Object({ state: Type.Literal('completed'), session: Session }, { description: 'Completed a short time ago' }),
  Type.Object({
    state: Type.Literal('rejected'),
    issue: Type.String(),
    code: Type.Optional(
      Type.Union([Type.Literal(QUOTA_EXCEEDED), Type.Literal('too_large'), Type.Literal('too_many_uploads')]),
    ),
  }),
])

export const CreateResponse = Type.Object({
  results: Type.Array(CreateResult, { description: 'One for each file, in the order of the request' }),
  quota: Quota,
})
export const Sessions = Type.Object({ sessions: Type.Array(Session) })
export const UrlsBody = Type.Object({ parts: Type.Array(PartNumber, { minItems: 1, maxItems: MAX_URLS }) })
export const Urls = Type.Object({
  uploads: Type.Array(SignedUpload),
  uploadsExpireAt: Type.String({ format: 'date-time' }),
})
