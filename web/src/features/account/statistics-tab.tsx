import { useQuery } from '@tanstack/react-query'
import { Images } from 'lucide-react'
import { useId, useState } from 'react'
import { Link } from 'react-router-dom'
import { statisticsQuery, storageQuery } from '../../api/account.ts'
import { foldersQuery } from '../../api/queries.ts'
import type { Folder, StorageUsage } from '../../api/types.ts'
import { Figures, FiguresFailure } from '../../components/figures.tsx'
import { StorageMeter } from '../../components/storage-meter.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, Loaded, LoadingState } from '../../components/ui/empty-state.tsx'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatBytes, formatNumber } from '../../lib/format.ts'
import { fillOf } from '../../lib/storage-quota.ts'

/** The totals come from a projection: while it is behind the storage, they are read again. */
const BEHIND_POLL_MS = 3_000

const SHOWN_ROWS = 6

interface StorageRow {
  key: string
  label: string
  /** The folder's screen. */
  to?: string
  photos: number
  bytes: number
}

/** The second tab: what the account contains and where its storage goes. Photo events refresh it. */
export function AccountStatistics() {
  const storage = useQuery(storageQuery)
  const statistics = useQuery({
    ...statisticsQuery,
    refetchInterval: ({ state }) =>
      state.data && storage.data && state.data.storageUsed !== storage.data.used ? BEHIND_POLL_MS : false,
  })
  const { data } = statistics
  return (
    <div className="grid gap-6">
      <Figures
        className="sm:grid-cols-3"
        figures={{
          'Total Photos': data ? formatNumber(data.totalPhotos) : '-',
          'Unique Locations': data ? formatNumber(data.uniqueLocations) : '-',
          'Storage Used': data ? formatBytes(data.storageUsed) : '-',
        }}
      />
      {!data && <FiguresFailure query={statistics} what="The totals could not be loaded." />}
      <Loaded
        query={storage}
        loading={
          <LoadingState label="Loading your storage" className="grid gap-6 md:grid-cols-2">
            <Skeleton className="h-72 rounded-lg" />
            <Skeleton className="h-72 rounded-lg" />
          </LoadingState>
        }
        failure="Your storage could not be loaded"
      >
        {(usage) => <Storage usage={usage} />}
      </Loaded>
    </div>
  )
}

function Storage({ usage }: { usage: StorageUsage }) {
  const folders = useQuery(foldersQuery)
  const quota = usage.quota === null ? null : { used: usage.used, limit: usage.quota }
  return (
    <>
      {quota && (
        <section
          aria-labelledby="quota"
          className="grid gap-3 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-6"
        >
          <h2 id="quota" className="text-lg font-semibold">
            Storage
          </h2>
          <StorageMeter quota={quota} uploading={usage.uploading} />
          {fillOf(quota) === 'full' && <p>Your storage is full. Delete photos to upload more.</p>}
        </section>
      )}
      {usage.used === 0 ? (
        <EmptyState
          icon={<Images />}
          title="No photos yet"
          description="Upload photos to see here where your storage goes."
          action={<LinkButton to="/upload">Upload Photos</LinkButton>}
        />
      ) : (
        <div className="grid gap-6 md:grid-cols-2">
          <StorageChart title="Storage by folder" column="Folder" rows={folderRows(usage, folders.data)} />
          <StorageChart title="Storage by year" column="Year" rows={yearRows(usage)} />
        </div>
      )}
    </>
  )
}

/** Bars with their values as text; for screen readers it is a table, whose first column is named `column`. */
function StorageChart({ title, column, rows }: { title: string; column: string; rows: readonly StorageRow[] }) {
  const id = useId()
  const [all, setAll] = useState(false)
  const { top, rest } = shownRows(rows, all ? rows.length : undefined)
  const largest = Math.max(...rows.map(({ bytes }) => bytes), 1)
  return (
    <section
      aria-labelledby={id}
      className="min-w-0 content-start rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-6"
    >
      <h2 id={id} className="mb-2 text-lg font-semibold">
        {title}
      </h2>
      <table aria-labelledby={id} className="w-full table-fixed border-collapse">
        <colgroup>
          <col />
          <col className="w-30" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">{column}</th>
            <th scope="col">Storage</th>
          </tr>
        </thead>
        <tbody>
          {top.map((row) => (
            <Row key={row.key} row={row} share={row.bytes / largest} />
          ))}
          {rest && <Row row={rest} share={Math.min(rest.bytes / largest, 1)} quiet />}
        </tbody>
      </table>
      {(rest || all) && (
        <Button
          variant="quiet"
          size="small"
          className="mt-2 -ml-3"
          aria-expanded={all}
          onClick={() => setAll((shown) => !shown)}
        >
          {all ? 'Show fewer' : 'Show all'}
        </Button>
      )}
    </section>
  )
}

/** `share` is the length of the bar, 0 to 1. A `quiet` bar is a sum of several. */
function Row({ row, share, quiet }: { row: StorageRow; share: number; quiet?: boolean }) {
  const { label, to, photos, bytes } = row
  return (
    <tr>
      <th scope="row" className="py-2 text-left align-bottom font-normal">
        {to ? (
          <Link to={to} className="block truncate font-semibold hover:text-accent hover:underline" title={label}>
            {label}
          </Link>
        ) : (
          <span className={cx('block truncate', quiet ? 'text-muted' : 'font-semibold')}>{label}</span>
        )}
        <span aria-hidden className="mt-1.5 mb-1.5 block h-2 rounded-full bg-sunken">
          <span
            className={cx('block h-full min-w-1 rounded-full', quiet ? 'bg-muted' : 'bg-accent')}
            style={{ width: `${share * 100}%` }}
          />
        </span>
      </th>
      <td className="py-2 pl-4 text-right align-bottom whitespace-nowrap tabular-nums">
        <span>{formatBytes(bytes)}</span>
        <span className="block text-sm text-muted">{countOf(photos, 'photo')}</span>
      </td>
    </tr>
  )
}

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

const byBytes = (one: StorageRow, other: StorageRow) => other.bytes - one.bytes || one.label.localeCompare(other.label)

/** Storage by year, newest first; photos whose year is not known are last. */
export function yearRows({ years }: Pick<StorageUsage, 'years'>): StorageRow[] {
  return years
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => (other.year ?? Number.NEGATIVE_INFINITY) - (one.year ?? Number.NEGATIVE_INFINITY))
    .map(({ year, ...usage }) => ({ key: String(year), label: String(year ?? 'Unknown year'), ...usage }))
}

/** The first rows, and the sum of the others. A single other row is not summed up: it takes the same room. */
export function shownRows(rows: readonly StorageRow[], shown = SHOWN_ROWS) {
  if (rows.length <= shown + 1) return { top: rows, rest: null }
  const others = rows.slice(shown)
  const rest = {
    key: 'rest',
    label: `${others.length} more`,
    photos: others.reduce((sum, { photos }) => sum + photos, 0),
    bytes: others.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  return { top: rows.slice(0, shown), rest }
}
