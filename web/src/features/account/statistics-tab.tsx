import { useQuery } from '@tanstack/react-query'
import { Images } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { statisticsQuery, storageQuery } from '../../api/account.ts'
import { foldersQuery } from '../../api/queries.ts'
import type { StorageUsage } from '../../api/types.ts'
import { StorageMeter } from '../../components/storage-meter.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { fillOf } from '../../lib/storage-quota.ts'
import { StorageChart } from './statistics-chart.tsx'
import { folderRows, yearRows } from './statistics-rows.ts'

/** The totals come from a projection: while it is behind the storage, they are read again. */
const BEHIND_POLL_MS = 3_000

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
      <dl className="grid gap-3 sm:grid-cols-3">
        <Figure label="Total Photos">{data ? formatNumber(data.totalPhotos) : '-'}</Figure>
        <Figure label="Unique Locations">{data ? formatNumber(data.uniqueLocations) : '-'}</Figure>
        <Figure label="Storage Used">{data ? formatBytes(data.storageUsed) : '-'}</Figure>
      </dl>
      {statistics.isError && !data && (
        <p role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-danger-soft px-4 py-3 text-danger">
          <span className="min-w-48 flex-1">The totals could not be loaded. {errorMessage(statistics.error)}</span>
          <Button size="small" onClick={() => statistics.refetch()}>
            Try again
          </Button>
        </p>
      )}
      <Storage />
    </div>
  )
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 rounded-lg bg-surface px-4 py-3 shadow-low ring ring-line sm:block sm:p-6">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-xl font-bold tracking-tight whitespace-nowrap sm:text-2xl">{children}</dd>
    </div>
  )
}

function Storage() {
  const { data, error, refetch } = useQuery(storageQuery)
  if (data) return <StorageDetails usage={data} />
  if (!error) return <StorageSkeleton />
  const retry = () => void refetch()
  return <ErrorState title="Your storage could not be loaded" description={errorMessage(error)} onRetry={retry} />
}

function StorageDetails({ usage }: { usage: StorageUsage }) {
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
        <NoPhotos />
      ) : (
        <div className="grid gap-6 md:grid-cols-2">
          <StorageChart title="Storage by folder" column="Folder" rows={folderRows(usage, folders.data)} />
          <StorageChart title="Storage by year" column="Year" rows={yearRows(usage)} />
        </div>
      )}
    </>
  )
}

function NoPhotos() {
  return (
    <EmptyState
      icon={<Images />}
      title="No photos yet"
      description="Upload photos to see here where your storage goes."
      action={
        <Button asChild>
          <Link to="/upload">Upload Photos</Link>
        </Button>
      }
    />
  )
}

function StorageSkeleton() {
  return (
    <div role="status" className="grid gap-6 md:grid-cols-2">
      <span className="sr-only">Loading your storage</span>
      <Skeleton className="h-72 rounded-lg" />
      <Skeleton className="h-72 rounded-lg" />
    </div>
  )
}
