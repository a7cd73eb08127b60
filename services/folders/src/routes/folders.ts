import { type App, errorResponses, Nullable, requireUser } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { Folders, FullFolder } from '../folders/folders.ts'
import { IdParams } from './schemas.ts'

export const FolderBody = Type.Object({
  id: Type.Integer(),
  userId: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  isPublic: Type.Boolean(),
  shareCode: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
  photoCount: Type.Integer(),
  covers: Type.Array(Type.String(), { description: 'URLs of up to four thumbnails' }),
  votingOpen: Type.Boolean(),
})

// PostgreSQL cannot keep the character NUL in a text.
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
const fields = { description: Type.Optional(Description), isPublic: Type.Optional(Type.Boolean()) }
const NewFolder = Type.Object({ name: Name, ...fields })
const FolderChange = Type.Object({ name: Type.Optional(Name), ...fields })
const Toggle = Nullable(Type.Object({ isPublic: Type.Optional(Type.Boolean()) }))

/** A user's own folders. */
export function folderRoutes(app: App, folders: Folders): void {
  app.get(
    '/api/folders',
    {
      config: { access: 'user' },
      schema: { summary: 'The own folders', response: { 200: Type.Array(FolderBody), ...errorResponses } },
    },
    async (request) => (await folders.list(requireUser(request).userId)).map(folderBody),
  )

  app.post(
    '/api/folders',
    {
      config: { access: 'user' },
      schema: {
        summary: "Makes a folder; a second one named 'Printed' is not made, the first is answered (200)",
        body: NewFolder,
        response: { 200: FolderBody, 201: FolderBody, ...errorResponses },
      },
    },
    async (request, reply) => {
      const { folder, created } = await folders.create(requireUser(request).userId, request.body)
      return reply.code(created ? 201 : 200).send(folderBody(folder))
    },
  )

  app.get(
    '/api/folders/:id',
    {
      config: { access: 'user' },
      schema: { summary: 'A folder', params: IdParams, response: { 200: FolderBody, ...errorResponses } },
    },
    async (request) => folderBody(await folders.get(request.params.id, requireUser(request))),
  )

  app.put(
    '/api/folders/:id',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Changes a folder; absent fields stay as they are',
        params: IdParams,
        body: FolderChange,
        response: { 200: FolderBody, ...errorResponses },
      },
    },
    async (request) => folderBody(await folders.update(request.params.id, requireUser(request).userId, request.body)),
  )

  app.patch(
    '/api/folders/:id/toggle-public',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Makes a folder public or private; without isPublic, the other of the two',
        params: IdParams,
        body: Toggle,
        response: { 200: FolderBody, ...errorResponses },
      },
    },
    async (request) =>
      folderBody(await folders.setPublic(request.params.id, requireUser(request).userId, request.body?.isPublic)),
  )

  app.delete(
    '/api/folders/:id',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Deletes a folder and its votes; its photos stay',
        params: IdParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async (request, reply) => {
      await folders.remove(request.params.id, requireUser(request))
      return reply.code(204).send(null)
    },
  )
}

/** A folder as its owner gets it. */
export function folderBody(folder: FullFolder): Static<typeof FolderBody> {
  const { id, userId, name, description, isPublic, shareCode, photoCount, covers } = folder
  return {
    id,
    userId,
    name,
    description,
    isPublic,
    shareCode,
    createdAt: folder.createdAt.toISOString(),
    updatedAt: folder.updatedAt.toISOString(),
    photoCount,
    covers,
    votingOpen: folder.votingOpen,
  }
}
