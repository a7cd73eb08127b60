import { useQuery } from '@tanstack/react-query'
import { ScanSearch } from 'lucide-react'
import { useState } from 'react'
import { isProcessing, metadataPhotosQuery } from '../../api/metadata-photos.ts'
import type { MetadataPhoto } from '../../api/types.ts'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { AnalysisItem } from './analysis-item.tsx'
import { ClearAll } from './clear-all.tsx'
import { DetailsDialog } from './details-dialog.tsx'

/** The analysed photos, newest first; each opens to its full metadata. */
export function AnalysisList() {
  const { data: photos } = useQuery(metadataPhotosQuery)
  return (
    <section aria-labelledby="analysis" className="min-w-0">
      <div className="mb-2 flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2 sm:min-h-10">
        <h2 id="analysis" className="text-lg font-semibold sm:text-xl">
          Recent Metadata Analysis
        </h2>
        {photos && photos.length > 0 && <ClearAll count={photos.length} />}
      </div>
      <p role="status" className="sr-only">
        {photos && statusText(photos)}
      </p>
      <Items />
    </section>
  )
}

function statusText(photos: readonly MetadataPhoto[]): string {
  const waiting = photos.filter(isProcessing).length
  return `${countOf(photos.length, 'photo')}${waiting > 0 ? `, ${waiting} processing` : ''}`
}

function Items() {
  const { data: photos, error, refetch } = useQuery(metadataPhotosQuery)
  const [opened, setOpened] = useState<MetadataPhoto | null>(null)
  if (!photos) {
    if (!error) return <ItemsSkeleton />
    const retry = () => void refetch()
    return <ErrorState title="Photos could not be loaded" description={errorMessage(error)} onRetry={retry} />
  }
  if (photos.length === 0) {
    return (
      <EmptyState
        icon={<ScanSearch />}
        title="No photos uploaded yet"
        description="Upload a photo above to see its metadata analysis"
      />
    )
  }
  return (
    <>
      <ul className="grid">
        {photos.map((photo) => (
          <li
            key={photo.id}
            className="border-t border-line [contain-intrinsic-size:auto_160px] [content-visibility:auto]"
          >
            <AnalysisItem photo={photo} onOpen={() => setOpened(photo)} />
          </li>
        ))}
      </ul>
      {opened && <DetailsDialog photo={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

function ItemsSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading photos</span>
      {[1, 2, 3].map((shape) => (
        <div key={shape} className="flex gap-4 border-t border-line py-4">
          <Skeleton className="aspect-3/2 w-24 shrink-0 rounded-md sm:w-44" />
          <div className="grid flex-1 content-start gap-3">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-3 w-3/5" />
            <Skeleton className="h-3 w-1/2" />
          </div>
        </div>
      ))}
    </div>
  )
}
