import type { QueryClient } from '@tanstack/react-query'
import { request } from '../lib/http.ts'
import { invalidateFolders, setPhotoFolder } from './photo-changes.ts'
import { updateCachedPhotos } from './photo-lists.ts'
import { foldersQuery } from './queries.ts'
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
export async function markForPrinting(client: QueryClient, photo: Photo): Promise<void> {
  try {
    const folder = await printedFolder(client).catch((error: unknown) => {
      throw new PrintingError('folder', error)
    })
    const moved = await setPhotoFolder(photo, folder.id).catch((error: unknown) => {
      throw new PrintingError('photo', error)
    })
    updateCachedPhotos(client, [moved.id], [moved])
  } finally {
    invalidateFolders(client)
  }
}

async function printedFolder(client: QueryClient): Promise<Folder> {
  const folders = await client.fetchQuery(foldersQuery)
  const found = folders.find((folder) => folder.name === PRINTED)
  if (found) return found
  // If another click or tab has created it meanwhile, the server returns that folder.
  return request<Folder>('/api/folders', {
    method: 'POST',
    body: { name: PRINTED, description: 'Photos marked for printing' },
  })
}
