import { type Identity, isUnlocked, notFound, type Pair, passwordRequired, type ViewAudit, within } from '@skyfolio/kit'
import type { Photo } from '../generated/client.ts'
import { isPublic, type OwnSetting } from '../photos/visibility.ts'
import type { CurrentFolder, CurrentLink, Folders } from '../projection/folders.ts'

/** What decides who sees a photo. */
export type SeenPhoto = Pick<Photo, 'id' | 'userId' | 'folderId'> & OwnSetting

/** What a caller shows of having a link of the folder. */
export interface LinkProof {
  /** The link that it shows, among those that open the folder now. */
  find(folder: CurrentFolder): CurrentLink | undefined
  /** Links whose password was entered, with its revision. */
  unlocked: readonly Pair[]
}

/** By which right somebody sees a photo: their own, that of everybody, or only as an administrator. */
export interface Sight {
  right: 'owner' | 'everybody' | 'administrator'
  /** When the request was sent to the folders service on whose response the right rests; null: it rests on none. */
  requestedAt: number | null
  /** The link that gives the right to everybody who has it; null where none was demanded. */
  link: CurrentLink | null
}

/** So long an administrator waits for the folders service, which only says whether the view is to be recorded. */
const ADMINISTRATOR_WAITS_MS = 500

/**
 * By which right the caller may have the photo's bytes, or null: its owner and administrators always, others while the
 * photo is visible in a folder that the folders service reports as public and whose owner is not suspended. Where a
 * `link` is demanded, it must open the folder now.
 * @throws AppError 403 when the link's password is to be entered first, 503 when the folders service does not respond
 */
export async function rightToSee(
  photo: SeenPhoto,
  identity: Identity,
  folders: Pick<Folders, 'fetchCurrent'>,
  link?: LinkProof,
): Promise<Sight | null> {
  if (identity.userId === photo.userId) return { right: 'owner', requestedAt: null, link: null }
  if (identity.isAdmin) {
    // An outage of folders hides nothing from administrators; then what they see is recorded, public or not.
    const folder = await within(ADMINISTRATOR_WAITS_MS, folderThatShows(photo, folders)).catch(() => null)
    return { right: folder ? 'everybody' : 'administrator', requestedAt: null, link: null }
  }
  const folder = await folderThatShows(photo, folders)
  if (!folder) return null
  const { requestedAt } = folder
  if (!link) return { right: 'everybody', requestedAt, link: null }
  const shown = link.find(folder)
  if (!shown) return null
  if (!isUnlocked(link.unlocked, shown)) throw passwordRequired()
  return { right: 'everybody', requestedAt, link: shown }
}

/**
 * Returns by which right the caller may have the photo's bytes; that an administrator sees what is not public is
 * committed before.
 * @throws AppError 404 as if the photo did not exist, 403, 503
 */
export async function requireSight(
  { folders, viewAudit }: { folders: Folders; viewAudit: ViewAudit },
  photo: SeenPhoto,
  identity: Identity,
  link?: LinkProof,
): Promise<Sight> {
  const sight = await rightToSee(photo, identity, folders, link)
  if (sight === null) throw photoNotFound()
  if (sight.right !== 'administrator' || identity.userId === null) return sight
  const { id, userId } = photo
  await viewAudit.record({ actorId: identity.userId, action: 'photo.viewed', ownerId: userId, subjectId: id })
  return sight
}

/** The error for what does not exist, or not for the caller. */
export function photoNotFound() {
  return notFound('Photo not found')
}

/** The photo's folder, while visitors see the photo in it. */
async function folderThatShows(
  photo: SeenPhoto,
  folders: Pick<Folders, 'fetchCurrent'>,
): Promise<CurrentFolder | null> {
  if (photo.folderId === null) return null
  const folder = await folders.fetchCurrent(photo.folderId)
  return folder?.isPublic && !folder.ownerSuspended && isPublic(photo, folder) ? folder : null
}
