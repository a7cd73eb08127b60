import { FolderX, Images } from 'lucide-react'
import { useNavigate } from 'react-router-dom'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { prerenderedFolder } from '../../lib/served-page.ts'
import { SharedFolderBadge } from './badges.tsx'
import { PublicGridSkeleton } from './public-grid-skeleton.tsx'
import { PublicHeader } from './public-header.tsx'
import { PUBLIC_PAGE, RANKS_HEIGHT } from './public-layout.ts'

/** The skeleton of a shared folder, with the texts and pictures that the server rendered. */
export function ShareSkeleton() {
  const prerendered = prerenderedFolder()
  return (
    <div className={PUBLIC_PAGE}>
      {prerendered && <PublicHeader badge={<SharedFolderBadge />} {...prerendered} />}
      <div role="status" aria-label="Loading the shared folder">
        {!prerendered && (
          <>
            <Skeleton className="h-6 w-32 rounded-full" />
            <Skeleton className="mt-4 h-9 w-80 max-w-full" />
            <Skeleton className="mt-3 h-5 w-24" />
          </>
        )}
        <Skeleton className={`mt-6 hidden rounded-lg sm:block ${RANKS_HEIGHT}`} />
        <PublicGridSkeleton />
      </div>
    </div>
  )
}

export function ShareNotFound() {
  const navigate = useNavigate()
  return (
    <EmptyState
      heading="h1"
      icon={<FolderX />}
      title="Folder Not Found"
      description="The shared folder you're looking for doesn't exist or may have been removed."
      action={<Button onClick={() => (history.length > 1 ? navigate(-1) : navigate('/'))}>Go Back</Button>}
    />
  )
}

export function ShareEmpty() {
  return (
    <EmptyState
      icon={<Images />}
      title="No Photos Yet"
      description="This folder has no photos to vote for. They appear here as soon as the owner adds some."
    />
  )
}
