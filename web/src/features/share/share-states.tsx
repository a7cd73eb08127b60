import { FolderX, Images } from 'lucide-react'
import { useNavigate } from 'react-router-dom'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import type { Box } from '../../lib/picture.ts'

const CARDS = ['a', 'b', 'c', 'd', 'e', 'f']

/** The shape of a shared folder while it loads. */
export function ShareSkeleton() {
  return (
    <div role="status" aria-label="Loading the shared folder" className="mx-auto max-w-[1180px] gutters pt-8">
      <Skeleton className="h-6 w-32 rounded-full" />
      <Skeleton className="mt-4 h-9 w-80 max-w-full" />
      <Skeleton className="mt-3 h-5 w-24" />
      <Skeleton className="mt-6 hidden h-[132px] rounded-lg sm:block" />
      <div className={SHARE_GRID}>
        {CARDS.map((card) => (
          <div key={card}>
            <Skeleton className="aspect-3/2 rounded-lg" />
            <Skeleton className="mt-3 h-5 w-40" />
          </div>
        ))}
      </div>
    </div>
  )
}

export const SHARE_GRID = 'grid gap-x-6 gap-y-7 pt-7 sm:grid-cols-2 lg:grid-cols-3'

/** How wide a picture is in this grid. */
export const SHARE_BOX: Box = {
  ratio: 3 / 2,
  widths: [
    { when: '(min-width: 1024px)', width: 'calc((min(100vw, 1180px) - 104px) / 3)' },
    { when: '(min-width: 640px)', width: 'calc((100vw - 80px) / 2)' },
    { width: 'calc(100vw - 32px)' },
  ],
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
