import { dronePhoto, packagedPhotos, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import type { SignedInClient } from '../../local/signed-in-client.ts'

/** Photos of a typical shared folder. */
export const PHOTOS = 30

/** A public folder. */
export interface SharedFolder {
  id: number
  shareCode: string
}

export async function createFolder({ call }: SignedInClient, name: string): Promise<SharedFolder> {
  const description = 'The best of the morning. Which three should go on the wall of the club?'
  return (await call('POST', '/api/folders', { name, description, isPublic: true })) as SharedFolder
}

/** Uploads as many photos of a drone as a typical folder has. */
export async function uploadPhotos({ call }: SignedInClient, folderId: number): Promise<void> {
  // As wide as those of drones, so that there are renditions of all sizes.
  const bases = await Promise.all(packagedPhotos().map((path) => sharp(path).resize(4_000).jpeg().toBuffer()))
  for (let number = 0; number < PHOTOS; number += 1) {
    const form = new FormData()
    const place = { latitude: 46.8426 + number / 1000, longitude: -91.9946 }
    const photo = await dronePhoto({ base: bases[number % bases.length], ...place })
    form.set('folderId', String(folderId))
    form.append('photo', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), `Flight ${number + 1}.jpg`)
    await call('POST', '/api/upload-photo', form)
  }
}

/** Waits until the link's API answers with so many photos, all of them processed. */
export async function waitUntilShown(url: string, count: number): Promise<void> {
  const shown = async () => {
    const { photos } = (await (await fetch(url)).json()) as { photos: { status: string }[] }
    return photos.length === count && photos.every(({ status }) => status === 'ready')
  }
  await waitFor(shown, { what: `the folder shows ${count} photos`, timeoutMs: 180_000 })
}
