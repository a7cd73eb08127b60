import type { PublicFolder, PublicPhoto, Share, User } from '../../api/types.ts'

export type DownloadSize = 'original' | 'web'
type Link = Pick<PublicFolder, 'downloads' | 'showPlaces' | 'showCamera'>

/** Whether a link has this page: the main link has all three, another one that of its kind. */
export function hasPage({ main, kind }: Pick<PublicFolder, 'main' | 'kind'>, page: PublicFolder['kind']): boolean {
  return main || kind === page
}

/** Whether this visitor may vote now. */
export function mayVote({ folder, invitation }: Share, user: User | null | undefined): boolean {
  const { votingOpen, voters } = folder
  return votingOpen && Boolean(voters === 'anyone' || (voters === 'users' ? user : invitation))
}

/** Whether the server removes places or camera data from originals. */
export function cleansFiles({ showPlaces, showCamera }: Link): boolean {
  return !showPlaces || !showCamera
}

/** As which files visitors may download a photo. Only JPEG and PNG files can be cleaned. */
export function downloadSizes(link: Link, photo: Pick<PublicPhoto, 'filename' | 'previewUrl'>): DownloadSize[] {
  const sizes: DownloadSize[] = []
  const hasOriginal = !cleansFiles(link) || /\.(jpe?g|png)$/i.test(photo.filename)
  if (link.downloads === 'original' && hasOriginal) sizes.push('original')
  if (link.downloads !== 'none' && photo.previewUrl !== null) sizes.push('web')
  return sizes
}
