import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ImagePlus, Printer, Share2, Upload } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import type { VoterCounts } from '../../api/folders.ts'
import { photoIdsBetween } from '../../api/photo-cache.ts'
import { PRINTED } from '../../api/photo-changes.ts'
import { folderPhotoList } from '../../api/photo-lists.ts'
import { folderQuery, userQuery } from '../../api/queries.ts'
import type { Folder } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, LoadingState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { BackLink } from '../../components/ui/link-button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { TabPanel, Tabs } from '../../components/ui/tabs.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
import { VisibilityBadge, VisibilitySwitch } from '../../components/visibility.tsx'
import { countOf } from '../../lib/format.ts'
import { hasStatus } from '../../lib/http.ts'
import { usePageTitle } from '../../lib/routing.ts'
import { isMapTab, withMapTab } from '../../photos/browser/filters.ts'
import { PhotoBrowser } from '../../photos/browser/photo-browser.tsx'
import { usePhotoList } from '../../photos/grid/use-photo-pages.ts'
import { openPrintWizard, usePrinting } from '../../photos/printing.ts'
import { FolderMenu } from './folder-card.tsx'
import type { FolderAction } from './folder-dialogs.tsx'
import { FolderNotFound } from './folder-not-found.tsx'
import { FolderDialogs } from './later-folder-dialogs.ts'
import { RankingsSkeleton } from './rankings-skeleton.tsx'
import { useVoterCounts } from './use-voter-counts.ts'
import { votersText } from './voting-texts.ts'

const RankingsTab = lazyComponent(() => import('./rankings-tab.tsx').then((code) => code.RankingsTab), {
  Loading: RankingsSkeleton,
  failure: 'Rankings could not be loaded',
})

/** One folder of the user with its photos and its rankings. `onUpload` opens the upload form with this folder. */
export function FolderScreen({ folderId, onUpload }: { folderId: number; onUpload: () => void }) {
  const folder = useQuery(folderQuery(folderId))
  usePageTitle(folder.data?.name ?? 'Folder')
  if (hasStatus(folder.error, 404)) return <FolderNotFound />
  if (folder.data) return <LoadedFolder folder={folder.data} onUpload={onUpload} />
  if (folder.isPending) return <FolderSkeleton />
  return (
    <>
      <BackLink to="/folders">Back</BackLink>
      <QueryFailure query={folder} heading="h1" title="The folder could not be loaded" />
    </>
  )
}

function LoadedFolder({ folder: saved, onUpload }: { folder: Folder; onUpload: () => void }) {
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams()
  const [action, setAction] = useState<FolderAction | null>(null)
  const { total } = usePhotoList(folderPhotoList(saved.id))
  // The folder's own count lags slightly behind its photos.
  const folder = { ...saved, photoCount: total ?? saved.photoCount }
  // An administrator also sees others' folders, and may only delete them.
  const own = useQuery(userQuery).data?.id === folder.userId
  const photosTab = isMapTab(search) ? 'map' : 'photos'
  const tab = own && search.get('tab') === 'rankings' ? 'rankings' : photosTab
  // The rankings tab loads it; elsewhere it is shown only if it is cached.
  const { voters } = useVoterCounts(folder.id, tab === 'rankings')
  const upload = own && (
    <Button variant={folder.isPublic && folder.photoCount > 0 ? 'secondary' : 'primary'} onClick={onUpload}>
      <Upload aria-hidden /> Upload Photos
    </Button>
  )
  return (
    <>
      <FolderHeader folder={folder} voters={voters} own={own} onAction={setAction}>
        {folder.photoCount > 0 && upload}
      </FolderHeader>
      <Tabs
        label="Photos and rankings"
        value={tab}
        onValueChange={(next) => setSearch(searchOfTab(next, search), { replace: true, preventScrollReset: true })}
        tabs={[
          { value: 'photos', label: 'Photos', count: folder.photoCount },
          { value: 'map', label: 'Map' },
          ...(own ? [{ value: 'rankings', label: 'Rankings' }] : []),
        ]}
      >
        {/* One panel: what is selected in the grid is selected on the map. */}
        <TabPanel value={photosTab} flush>
          <PhotoBrowser
            folderId={folder.id}
            own={own}
            empty={
              <EmptyState
                icon={<ImagePlus />}
                title="This folder is empty"
                description={own && 'Upload photos into it, or choose it as the folder of photos that you have.'}
                action={upload}
              />
            }
          />
        </TabPanel>
        <TabPanel value="rankings">
          <RankingsTab folder={folder} />
        </TabPanel>
      </Tabs>
      <FolderDialogs
        folder={folder}
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

function FolderSkeleton() {
  return (
    <LoadingState label="Loading the folder">
      <Skeleton className="mt-2 h-4 w-16" />
      <Skeleton className="mt-6 h-8 w-72 max-w-full" />
      <Skeleton className="mt-3 h-5 w-40" />
      <div className="mt-16 grid grid-cols-1 gap-5 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
        {[1, 2, 3, 4].map((shape) => (
          <Skeleton key={shape} className="aspect-3/2 rounded-lg" />
        ))}
      </div>
    </LoadingState>
  )
}

interface FolderHeaderProps {
  folder: Folder
  /** Undefined until they are known. */
  voters: VoterCounts | undefined
  own: boolean
  onAction: (action: FolderAction) => void
  /** The button that uploads photos into the folder. */
  children: ReactNode
}

function FolderHeader({ folder, voters, own, onAction, children }: FolderHeaderProps) {
  return (
    <header className="mb-4">
      <BackLink to="/folders">Back</BackLink>
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 className="text-2xl font-bold wrap-anywhere sm:text-3xl">{folder.name}</h1>
          {folder.description && (
            <p className="max-w-2xl whitespace-pre-line text-pretty text-muted wrap-anywhere">{folder.description}</p>
          )}
          <p className="mt-1 flex items-center gap-2.5 text-muted">
            <VisibilityBadge isPublic={folder.isPublic} />
            <span>{countOf(folder.photoCount, 'photo') + (voters?.total ? ` · ${votersText(voters)}` : '')}</span>
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {own && <VisibilitySwitch isPublic={folder.isPublic} onChange={() => onAction('visibility')} />}
          {own && folder.name === PRINTED && <PrintFolderButton folder={folder} />}
          {children}
          {own && folder.isPublic && (
            <Button variant="primary" onClick={() => onAction('share')}>
              <Share2 aria-hidden /> Share
            </Button>
          )}
          <FolderMenu folder={folder} own={own} onAction={onAction} />
        </div>
      </div>
    </header>
  )
}

/** Orders prints of all photos of the folder 'Printed'. */
function PrintFolderButton({ folder: { id, photoCount } }: { folder: Folder }) {
  const client = useQueryClient()
  const { reason } = usePrinting(photoCount)
  const open = useMutation({
    mutationFn: () => photoIdsBetween(client, folderPhotoList(id), 0, photoCount - 1),
    onSuccess: (photoIds) => openPrintWizard({ photoIds }),
    onError: (error) => toastFailure('Photos could not be loaded', error),
  })
  const why = reason ?? (photoCount === 0 ? 'The folder is empty.' : null)
  return (
    <Button disabled={why !== null} title={why ?? undefined} busy={open.isPending} onClick={() => open.mutate()}>
      <Printer aria-hidden /> Order prints
    </Button>
  )
}
