/** A photo's own visibility setting, with the folder revision at which it was made. */
export interface OwnSetting {
  ownIsPublic: boolean | null
  ownVisibilityRevision: number
  /** The setting is private because the user chose so. */
  privateByChoice: boolean
}

/** The visibility that a folder gives to its photos. */
export interface FolderVisibility {
  isPublic: boolean
  /** The folder's revision at its last change of visibility. */
  visibilityRevision: number
}

/**
 * The photo's effective visibility: its own setting, unless the folder's visibility changed since; then the folder's
 * flag. So a flip of a folder changes one row, however many photos it has.
 *
 * The folders service has the same rule in SQL, in its view photos_with_visibility. deploy/test/visibility-rule.test.ts
 * compares both.
 */
export function isPublic(photo: OwnSetting, folder: FolderVisibility | null): boolean {
  if (ownSettingApplies(photo, folder)) return photo.ownIsPublic === true
  return folder?.isPublic ?? false
}

function ownSettingApplies(photo: OwnSetting, folder: FolderVisibility | null): boolean {
  if (photo.ownIsPublic === null) return false
  return folder === null || photo.ownVisibilityRevision >= folder.visibilityRevision
}

/** Whether the photo must stay private when it moves into another folder. */
export function staysPrivate(photo: OwnSetting, from: FolderVisibility | null): boolean {
  return photo.privateByChoice && ownSettingApplies(photo, from) && photo.ownIsPublic === false
}

/** The own setting after a move into a folder: private by choice is kept, otherwise the folder's flag applies. */
export function settingAfterMove(
  photo: OwnSetting,
  from: FolderVisibility | null,
  to: { revision: number },
): OwnSetting {
  if (!staysPrivate(photo, from)) return { ownIsPublic: null, ownVisibilityRevision: 0, privateByChoice: false }
  return { ownIsPublic: false, ownVisibilityRevision: to.revision, privateByChoice: true }
}

/** The own setting after the photo leaves a folder: the visibility that it had there. */
export function settingAfterRemoval(photo: OwnSetting, from: FolderVisibility | null): OwnSetting {
  return {
    ownIsPublic: isPublic(photo, from),
    ownVisibilityRevision: 0,
    privateByChoice: staysPrivate(photo, from),
  }
}

/** The own setting with which a photo has again the visibility that it had in this folder. */
export function settingBefore(
  before: { isPublic: boolean; privateByChoice: boolean },
  folder: (FolderVisibility & { revision: number }) | null,
): OwnSetting {
  const { isPublic, privateByChoice } = before
  if (folder?.isPublic === isPublic && !privateByChoice) {
    return { ownIsPublic: null, ownVisibilityRevision: 0, privateByChoice: false }
  }
  return { ownIsPublic: isPublic, ownVisibilityRevision: folder?.revision ?? 0, privateByChoice }
}

/** The own setting after the user chose public or private in this folder. An equal setting that applies is kept. */
export function settingAfterChoice(
  photo: OwnSetting,
  folder: (FolderVisibility & { revision: number }) | null,
  choice: boolean,
): OwnSetting {
  const { ownIsPublic, ownVisibilityRevision, privateByChoice } = photo
  if (ownSettingApplies(photo, folder) && ownIsPublic === choice && privateByChoice === !choice) {
    return { ownIsPublic, ownVisibilityRevision, privateByChoice }
  }
  return { ownIsPublic: choice, ownVisibilityRevision: folder?.revision ?? 0, privateByChoice: !choice }
}
