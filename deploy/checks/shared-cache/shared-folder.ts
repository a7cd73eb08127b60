import { setTimeout as delay } from 'node:timers/promises'
import type { Account, SignedInClient } from '../../local/signed-in-client.ts'
import { seedFolders } from '../load/seed-folders.ts'

/** What visitors get of a photo, and the owner with other names. */
export interface Photo {
  id: number
  url: string
  smallUrl: string | null
  thumbnailUrl: string | null
  mediumUrl: string | null
  previewUrl: string | null
}

/** A public folder whose photos have all been processed. */
export interface SharedFolder {
  id: number
  code: string
  owner: SignedInClient
}

const PROCESSED_WITHIN_MS = 120_000

/** Creates it through the gateway. */
export async function createSharedFolder(gatewayUrl: string, account: Account, photos: number): Promise<SharedFolder> {
  const { owner, folders } = await seedFolders(gatewayUrl, account, { folders: 1, photos })
  const [folder] = folders
  if (!folder) throw new Error('no folder was created')
  for (const deadline = Date.now() + PROCESSED_WITHIN_MS; Date.now() < deadline; await delay(500)) {
    const shown = await readPhotos(gatewayUrl, folder.code)
    if (shown.every(({ previewUrl }) => previewUrl)) return { id: folder.id, code: folder.code, owner }
  }
  throw new Error(`The photos were not processed within ${PROCESSED_WITHIN_MS / 1000} s.`)
}

/** The photos of the share page, with public names. */
export async function readPhotos(origin: string, code: string): Promise<Photo[]> {
  const response = await fetch(`${origin}/api/share/${code}`)
  if (!response.ok) throw new Error(`The share returned ${response.status}.`)
  return ((await response.json()) as { photos: Photo[] }).photos
}

/** The renditions of a photo. */
export function renditionsOf({ smallUrl, thumbnailUrl, mediumUrl, previewUrl }: Photo): string[] {
  return [smallUrl, thumbnailUrl, mediumUrl, previewUrl].filter((url) => url !== null)
}
