import { useQuery } from '@tanstack/react-query'
import { FolderX, Upload } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { votersQuery } from '../../api/folders.ts'
import { folderPhotoList } from '../../api/photo-lists.ts'
import { folderQuery, userQuery } from '../../api/queries.ts'
import type { Folder } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { TabPanel, Tabs } from '../../components/ui/tabs.tsx'
import { errorMessage, hasStatus } from '../../lib/http.ts'
import { isMapTab, withMapTab } from '../../photos/browser/filters.ts'
import { usePhotoList } from '../../photos/grid/use-photo-pages.ts'
import type { FolderAction } from './folder-dialogs.tsx'
import { BackLink, FolderHeader } from './folder-header.tsx'
import { FolderPhotos } from './folder-photos.tsx'
import { FolderDialogs } from './later-folder-dialogs.ts'
import { RankingsSkeleton } from './rankings-skeleton.tsx'

const RankingsTab = lazyComponent(() => import('./rankings-tab.tsx').then((code) => code.RankingsTab), {
  Loading: RankingsSkeleton,
  failure: 'Rankings could not be loaded',
})

interface FolderScreenProps {
  folderId: number
  /** Opens the upload form with this folder. */
  onUpload: () => void
}

/** One folder of the user with its photos and its rankings. */
export function FolderScreen({ folderId, onUpload }: FolderScreenProps) {
  const folder = useQuery(folderQuery(folderId))
  if (hasStatus(folder.error, 404)) return <FolderNotFound />
  if (folder.data) return <LoadedFolder folder={folder.data} onUpload={onUpload} />
  if (folder.isPending) return <FolderSkeleton />
  return (
    <>
      <BackLink />
      <ErrorState
        heading="h1"
        title="The folder could not be loaded"
        description={errorMessage(folder.error)}
        onRetry={() => folder.refetch()}
      />
    </>
  )
}

function LoadedFolder({ folder, onUpload }: { folder: Folder; onUpload: () => void }) {
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams()
  const [action, setAction] = useState<FolderAction | null>(null)
  const { total } = usePhotoList(folderPhotoList(folder.id))
  const own = useQuery(userQuery).data?.id === folder.userId
  const photosTab = isMapTab(search) ? 'map' : 'photos'
  const tab = own && search.get('tab') === 'rankings' ? 'rankings' : photosTab
  // The rankings tab loads it; elsewhere it is shown only if it is cached.
  const voters = useQuery({ ...votersQuery(folder.id, false), enabled: tab === 'rankings' })
  // The folder's own count lags slightly behind its photos.
  const photoCount = total ?? folder.photoCount
  const upload = own && (
    <Button variant={folder.isPublic && photoCount > 0 ? 'secondary' : 'primary'} onClick={onUpload}>
      <Upload aria-hidden /> Upload Photos
    </Button>
  )
  return (
    <>
      <FolderHeader
        folder={folder}
        photoCount={photoCount}
        voters={voters.data?.total}
        own={own}
        upload={photoCount > 0 && upload}
        onAction={setAction}
      />
      <Tabs
        label="Photos and rankings"
        value={tab}
        onValueChange={(next) => setSearch(searchOfTab(next, search), { replace: true, preventScrollReset: true })}
        tabs={[
          { value: 'photos', label: 'Photos', count: photoCount },
          { value: 'map', label: 'Map' },
          ...(own ? [{ value: 'rankings', label: 'Rankings' }] : []),
        ]}
      >
        {/* One panel: what is selected in the grid is selected on the map. */}
        <TabPanel value={photosTab} flush>
          <FolderPhotos folderId={folder.id} own={own} upload={upload} />
        </TabPanel>
        <TabPanel value="rankings">
          <RankingsTab folder={folder} />
        </TabPanel>
      </Tabs>
      <FolderDialogs
        folder={{ ...folder, photoCount }}
        action={action}
        onClose={() => setAction(null)}
        onDeleted={() => navigate('/folders', { replace: true })}
      />
    </>
  )
}

/** Photos and map have the same filters. */
function searchOfTab(tab: string, search: URLSearchParams): URLSearchParams {
  if (tab === 'rankings') return new URLSearchParams({ tab })
  const parameters = withMapTab(search, tab === 'map')
  parameters.delete('tab')
  return parameters
}

export function FolderNotFound() {
  return (
    <EmptyState
      heading="h1"
      icon={<FolderX />}
      title="Folder not found"
      description="It may have been deleted, or it belongs to somebody else."
      action={
        <Button asChild>
          <Link to="/folders">Back to folders</Link>
        </Button>
      }
    />
  )
}

function FolderSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the folder</span>
      <Skeleton className="mt-2 h-4 w-16" />
      <Skeleton className="mt-6 h-8 w-72 max-w-full" />
      <Skeleton className="mt-3 h-5 w-40" />
      <div className="mt-16 grid grid-cols-1 gap-5 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
        {[1, 2, 3, 4].map((shape) => (
          <Skeleton key={shape} className="aspect-3/2 rounded-lg" />
        ))}
      </div>
    </div>
  )
}
