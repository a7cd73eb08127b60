import type { QueryClient } from '@tanstack/react-query'
import { createFolder } from './folders.ts'
import { invalidateFolders, setPhotoFolder } from './photo-changes.ts'
import { updateCachedPhotos } from './photo-lists.ts'
import { foldersQuery } from './queries.ts'
import { rankingsQuery } from './standings.ts'
import type { Folder, Photo } from './types.ts'

/** The folder of the photos marked for printing. The server allows each user only one folder of this name. */
export const PRINTED = 'Printed'

/** Marking a photo for printing failed at this step. */
export class PrintingError extends Error {
  readonly step: 'folder' | 'photo'

  constructor(step: PrintingError['step'], cause: unknown) {
    super(`Marking for printing failed: ${step}`, { cause })
    this.step = step
  }
}

/** Moves a photo into the folder 'Printed', which is created for the first one. @throws PrintingError */
export async function markForPrinting(client: QueryClient, photo: Photo): Promise<Photo> {
  try {
    const folder = await printedFolder(client).catch((error: unknown) => {
      throw new PrintingError('folder', error)
    })
    const moved = await setPhotoFolder(photo, folder.id).catch((error: unknown) => {
      throw new PrintingError('photo', error)
    })
    updateCachedPhotos(client, [moved.id], [moved])
    return moved
  } finally {
    invalidateFolders(client)
  }
}

/** The votes that stop counting when a photo leaves its folder. */
export interface VotesLeft {
  folder: Folder
  /** Of this photo; others in the folder may have all votes. */
  votes: number
}

/** The votes in the folder of a photo; null when the photo is in none, or in one without votes. */
export async function votesLeftBehind(client: QueryClient, photo: Photo): Promise<VotesLeft | null> {
  const { id, folderId } = photo
  if (folderId === null) return null
  const [folders, { tallies }] = await Promise.all([
    client.fetchQuery(foldersQuery),
    client.fetchQuery({ ...rankingsQuery(folderId), staleTime: 0 }),
  ])
  const folder = folders.find((other) => other.id === folderId)
  if (!folder || tallies.length === 0) return null
  return { folder, votes: tallies.find(({ photoId }) => photoId === id)?.voters ?? 0 }
}

async function printedFolder(client: QueryClient): Promise<Folder> {
  const folders = await client.fetchQuery(foldersQuery)
  const found = folders.find((folder) => folder.name === PRINTED)
  if (found) return found
  // If another click or tab has created it meanwhile, the server returns that folder.
  return createFolder(client, { name: PRINTED, description: 'Photos marked for printing' })
}
