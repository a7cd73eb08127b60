/** A photo's own privacy flag, with the folder revision at which it was made. */
export interface OwnSetting {
  ownIsPublic: boolean | null
  ownVisibilityRevision: number
  /** The own flag is private because the user chose so. */
  privateByChoice: boolean
}

/** What a folder says of the photos in it. */
export interface FolderFlag {
  isPublic: boolean
  /** The folder's revision at its last change of visibility. */
  visibilityRevision: number
}

function ownSettingHolds(photo: OwnSetting, folder: FolderFlag | null): boolean {
  if (photo.ownIsPublic === null) return false
  return folder === null || photo.ownVisibilityRevision >= folder.visibilityRevision
}

/**
 * The photo's effective flag. Its own setting holds unless the folder's visibility changed since; then the folder's
 * flag does. So a folder's flip is one row, however many photos it has.
 */
export function isPublic(photo: OwnSetting, folder: FolderFlag | null): boolean {
  if (ownSettingHolds(photo, folder)) return photo.ownIsPublic === true
  return folder?.isPublic ?? false
}

/** Whether moving this photo into another folder must keep it private. */
export function staysPrivate(photo: OwnSetting, from: FolderFlag | null): boolean {
  return photo.privateByChoice && ownSettingHolds(photo, from) && photo.ownIsPublic === false
}

/** The own setting after a move into a folder: a chosen private one goes along, otherwise the folder's flag holds. */
export function movedInto(photo: OwnSetting, from: FolderFlag | null, to: { revision: number }): OwnSetting {
  if (!staysPrivate(photo, from)) return { ownIsPublic: null, ownVisibilityRevision: 0, privateByChoice: false }
  return { ownIsPublic: false, ownVisibilityRevision: to.revision, privateByChoice: true }
}

/** The own setting after leaving a folder: the flag that held until then. */
export function takenOut(photo: OwnSetting, from: FolderFlag | null): OwnSetting {
  return {
    ownIsPublic: isPublic(photo, from),
    ownVisibilityRevision: 0,
    privateByChoice: staysPrivate(photo, from),
  }
}

/** The own setting after a privacy change in this folder. One that says so already and holds stays as it is. */
export function chosen(
  photo: OwnSetting,
  folder: (FolderFlag & { revision: number }) | null,
  flag: boolean,
): OwnSetting {
  const { ownIsPublic, ownVisibilityRevision, privateByChoice } = photo
  if (ownSettingHolds(photo, folder) && ownIsPublic === flag && privateByChoice === !flag) {
    return { ownIsPublic, ownVisibilityRevision, privateByChoice }
  }
  return { ownIsPublic: flag, ownVisibilityRevision: folder?.revision ?? 0, privateByChoice: !flag }
}
