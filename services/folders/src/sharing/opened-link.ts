export const LINK_KINDS = ['vote', 'view', 'browse'] as const
export type LinkKind = (typeof LINK_KINDS)[number]
/** The largest files that visitors may download. */
export const DOWNLOADS = ['none', 'web', 'original'] as const
export type Downloads = (typeof DOWNLOADS)[number]

/** A link as far as it decides what its visitors see of photos. */
export interface OpenedLink {
  id: number
  folderId: number
  revision: number
  /** Of the password that was entered; null: none. */
  passwordRevision: number | null
  showPlaces: boolean
  showCamera: boolean
  downloads: Downloads
}

/** SQL: an `OpenedLink` as JSON, of a row `link` of `open_links`. */
export const OPENED_LINK = `jsonb_build_object('id', link.id, 'folderId', link.folder_id, 'revision', link.revision,
  'passwordRevision', password_revision, 'showPlaces', show_places, 'showCamera', show_camera, 'downloads', downloads)`
