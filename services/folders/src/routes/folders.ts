import { type App, compressJson, requireUser } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import type { Folders } from '../folders/folders.ts'
import {
  CREATE_FOLDER,
  DELETE_FOLDER,
  folderBody,
  GET_FOLDER,
  LIST_FOLDERS,
  RENEW_SHARE_CODE,
  TOGGLE_PUBLIC,
  UPDATE_FOLDER,
} from './folder-schemas.ts'
import type { RequestOf } from './request.ts'

export interface FolderRouteDeps {
  folders: Folders
  /** Publishes a hint to the owner's browsers that a folder's voting changed. */
  rankingsChanged(folderId: number, ownerId: number): void
}

const config = { access: 'user' } as const

/** A user's own folders. */
export function folderRoutes(app: App, deps: FolderRouteDeps): void {
  app.get('/api/folders', { config, schema: LIST_FOLDERS, onSend: compressJson }, (request) =>
    listFolders(deps, request),
  )
  app.post('/api/folders', { config, schema: CREATE_FOLDER }, (request, reply) => createFolder(deps, request, reply))
  app.get('/api/folders/:id', { config, schema: GET_FOLDER }, (request) => getFolder(deps, request))
  app.put('/api/folders/:id', { config, schema: UPDATE_FOLDER }, (request) => updateFolder(deps, request))
  app.patch('/api/folders/:id/toggle-public', { config, schema: TOGGLE_PUBLIC }, (request) =>
    togglePublic(deps, request),
  )
  app.post('/api/folders/:id/share-code', { config, schema: RENEW_SHARE_CODE }, (request) =>
    renewShareCode(deps, request),
  )
  app.delete('/api/folders/:id', { config, schema: DELETE_FOLDER }, (request, reply) =>
    deleteFolder(deps, request, reply),
  )
}

async function listFolders({ folders }: FolderRouteDeps, request: RequestOf<typeof LIST_FOLDERS>) {
  return (await folders.list(requireUser(request).userId)).map(folderBody)
}

async function createFolder(
  { folders }: FolderRouteDeps,
  request: RequestOf<typeof CREATE_FOLDER>,
  reply: FastifyReply,
) {
  const { folder, created } = await folders.create(requireUser(request).userId, request.body)
  reply.code(created ? 201 : 200)
  return folderBody(folder)
}

async function getFolder({ folders }: FolderRouteDeps, request: RequestOf<typeof GET_FOLDER>) {
  return folderBody(await folders.get(request.params.id, requireUser(request)))
}

async function updateFolder({ folders }: FolderRouteDeps, request: RequestOf<typeof UPDATE_FOLDER>) {
  return folderBody(await folders.update(request.params.id, requireUser(request).userId, request.body))
}

async function togglePublic({ folders }: FolderRouteDeps, request: RequestOf<typeof TOGGLE_PUBLIC>) {
  const { userId } = requireUser(request)
  return folderBody(await folders.setPublic(request.params.id, userId, request.body?.isPublic))
}

async function renewShareCode(
  { folders, rankingsChanged }: FolderRouteDeps,
  request: RequestOf<typeof RENEW_SHARE_CODE>,
) {
  const { userId } = requireUser(request)
  const folder = await folders.renewShareCode(request.params.id, userId)
  rankingsChanged(folder.id, userId)
  return folderBody(folder)
}

async function deleteFolder(
  { folders }: FolderRouteDeps,
  request: RequestOf<typeof DELETE_FOLDER>,
  reply: FastifyReply,
) {
  await folders.remove(request.params.id, requireUser(request))
  reply.code(204)
  return null
}
