import type { Folder, StorageUsage } from '../../api/types.ts'

/** One bar of a chart. */
export interface StorageRow {
  key: string
  label: string
  /** The folder's screen. */
  to?: string
  photos: number
  bytes: number
}

export const SHOWN_ROWS = 6

const byBytes = (one: StorageRow, other: StorageRow) => other.bytes - one.bytes || one.label.localeCompare(other.label)

/** Storage by folder, largest first, with the photos without a folder and those of the metadata screen. */
export function folderRows(
  { folders, metadataScreen }: Pick<StorageUsage, 'folders' | 'metadataScreen'>,
  known: readonly Pick<Folder, 'id' | 'name'>[] | undefined,
): StorageRow[] {
  const names = new Map(known?.map(({ id, name }) => [id, name]))
  const rows = folders.map(({ folderId, photos, bytes }): StorageRow => {
    if (folderId === null) return { key: 'none', label: 'No folder', photos, bytes }
    // The list of folders may be a second behind the photos.
    const label = names.get(folderId) ?? 'A folder'
    return { key: String(folderId), label, to: `/folders/${folderId}`, photos, bytes }
  })
  const metadata = { key: 'metadata', label: 'Meta Data screen', to: '/metadata', ...metadataScreen }
  return [...rows, metadata].filter(({ bytes }) => bytes > 0).sort(byBytes)
}

/** Storage by year, newest first; photos whose year is not known are last. */
export function yearRows({ years }: Pick<StorageUsage, 'years'>): StorageRow[] {
  return years
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => (other.year ?? Number.NEGATIVE_INFINITY) - (one.year ?? Number.NEGATIVE_INFINITY))
    .map(({ year, photos, bytes }) => ({
      key: String(year),
      label: year === null ? 'Unknown year' : String(year),
      photos,
      bytes,
    }))
}

/** The first rows, and the sum of the others. A single other row is not summed up: it takes the same room. */
export function shownRows(
  rows: readonly StorageRow[],
  shown = SHOWN_ROWS,
): { top: StorageRow[]; rest: StorageRow | null } {
  if (rows.length <= shown + 1) return { top: [...rows], rest: null }
  const others = rows.slice(shown)
  const rest = {
    key: 'rest',
    label: `${others.length} more`,
    photos: others.reduce((sum, { photos }) => sum + photos, 0),
    bytes: others.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  return { top: rows.slice(0, shown), rest }
}
