import { type App, compressJson, errorResponses, Nullable, requireUser } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { FoldersDeps } from '../deps.ts'
import type { FolderWithContents } from '../folders/folders.ts'
import { DateTime, Id, IdParams } from './schemas.ts'

const FolderBody = Type.Object({
  id: Type.Integer(),
  userId: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  isPublic: Type.Boolean(),
  shareCode: Type.String({ description: 'The code of its main link' }),
  createdAt: DateTime,
  updatedAt: DateTime,
  photoCount: Type.Integer(),
  covers: Type.Array(Type.String(), {
    description: 'URLs of thumbnails: of the chosen cover, or of the newest photos, up to four',
  }),
  coverPhotoId: Nullable(
    Type.Integer({ description: 'The photo that was chosen as the cover, while it is in the folder' }),
  ),
  votingOpen: Type.Boolean({ description: 'False once its voting was closed or its time ran out' }),
  showMap: Type.Boolean({ description: 'Whether visitors with the main link are offered a map of the photos' }),
})

/** A folder as its owner gets it; what the schema does not list is not sent. */
export function folderBody(folder: FolderWithContents): Static<typeof FolderBody> {
  const votingOpen = folder.votingOpen && folder.closedAt === null
  return { ...folder, votingOpen, createdAt: folder.createdAt.toISOString(), updatedAt: folder.updatedAt.toISOString() }
}

// PostgreSQL cannot store the character NUL in a text.
const NO_NUL = '^[^\\u0000]*$'
const Name = Type.String({
  maxLength: 1000,
  pattern: NO_NUL,
  'x-message': { required: 'Folder name is required', type: 'Folder name is required' },
})
const Description = Type.Union([
  Type.String({
    maxLength: 2000,
    pattern: NO_NUL,
    'x-message': { maxLength: 'Description must be at most 2000 characters' },
  }),
  Type.Null(),
])
const optionalFields = { description: Type.Optional(Description), isPublic: Type.Optional(Type.Boolean()) }

const LIST_FOLDERS = {
  summary: "Lists the user's folders",
  response: { 200: Type.Array(FolderBody), ...errorResponses },
}
const CREATE_FOLDER = {
  summary: "Creates a folder; instead of a second one named 'Printed' the existing one is returned (200)",
  body: Type.Object({ name: Name, ...optionalFields }),
  response: { 200: FolderBody, 201: FolderBody, ...errorResponses },
}
const GET_FOLDER = {
  summary: 'Returns a folder',
  params: IdParams,
  response: { 200: FolderBody, ...errorResponses },
}
const UPDATE_FOLDER = {
  summary: 'Changes a folder; absent fields stay unchanged',
  params: IdParams,
  body: Type.Object({
    name: Type.Optional(Name),
    ...optionalFields,
    coverPhotoId: Type.Optional(Nullable(Id)),
    showMap: Type.Optional(Type.Boolean()),
  }),
  response: { 200: FolderBody, ...errorResponses },
}
const TOGGLE_PUBLIC = {
  summary: 'Makes a folder public or private; without `isPublic`, flips it',
  params: IdParams,
  body: Nullable(Type.Object({ isPublic: Type.Optional(Type.Boolean()) })),
  response: { 200: FolderBody, ...errorResponses },
}
const RENEW_SHARE_CODE = {
  summary: "Replaces the code of the folder's main link; the old one is invalid at once",
  params: IdParams,
  response: { 200: FolderBody, ...errorResponses },
}
export const SET_VOTING_OPEN = {
  summary: 'Opens or closes the voting of a folder',
  params: IdParams,
  body: Type.Object({ open: Type.Boolean() }),
  response: { 200: FolderBody, ...errorResponses },
}
const DELETE_FOLDER = {
  summary: 'Deletes a folder and its votes; its photos stay',
  params: IdParams,
  response: { 204: Type.Null(), ...errorResponses },
}

const config = { access: 'user' } as const

/** A user's own folders. */
export function folderRoutes(app: App, { folders, rankingsChanged }: FoldersDeps): void {
  app.get('/api/folders', { config, schema: LIST_FOLDERS, onSend: compressJson }, async (request) =>
    (await folders.list(requireUser(request).userId)).map(folderBody),
  )
  app.post('/api/folders', { config, schema: CREATE_FOLDER }, async (request, reply) => {
    const { folder, created } = await folders.create(requireUser(request).userId, request.body)
    reply.code(created ? 201 : 200)
    return folderBody(folder)
  })
  app.get('/api/folders/:id', { config, schema: GET_FOLDER }, async (request) =>
    folderBody(await folders.get(request.params.id, requireUser(request))),
  )
  app.put('/api/folders/:id', { config, schema: UPDATE_FOLDER }, async (request) =>
    folderBody(await folders.update(request.params.id, requireUser(request).userId, request.body)),
  )
  app.patch('/api/folders/:id/toggle-public', { config, schema: TOGGLE_PUBLIC }, async (request) =>
    folderBody(await folders.setPublic(request.params.id, requireUser(request).userId, request.body?.isPublic)),
  )
  app.post('/api/folders/:id/share-code', { config, schema: RENEW_SHARE_CODE }, async (request) => {
    const { userId } = requireUser(request)
    const folder = await folders.renewShareCode(request.params.id, userId)
    rankingsChanged(folder.id, userId)
    return folderBody(folder)
  })
  app.delete('/api/folders/:id', { config, schema: DELETE_FOLDER }, async (request, reply) => {
    await folders.remove(request.params.id, requireUser(request))
    reply.code(204)
    return null
  })
}
