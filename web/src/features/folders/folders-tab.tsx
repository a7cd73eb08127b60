import { useQuery } from '@tanstack/react-query'
import { FolderPlus, Folders } from 'lucide-react'
import { useState } from 'react'
import { foldersQuery } from '../../api/queries.ts'
import type { Folder } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, Loaded } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { FolderCard } from './folder-card.tsx'
import type { FolderAction } from './folder-dialogs.tsx'
import { FolderDialogs } from './later-folder-dialogs.ts'

const CreateFolderDialog = lazyComponent(() => import('./folder-dialogs.tsx').then((code) => code.CreateFolderDialog), {
  afterFirstScreen: true,
})

const GRID =
  'grid grid-cols-1 gap-x-5 gap-y-7 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4 min-[1600px]:grid-cols-[repeat(auto-fill,minmax(260px,1fr))]'

export function FoldersTab() {
  const [creating, setCreating] = useState(false)
  const newFolder = (
    <Button onClick={() => setCreating(true)}>
      <FolderPlus aria-hidden /> New folder
    </Button>
  )
  return (
    <>
      <Loaded query={useQuery(foldersQuery)} loading={<FoldersSkeleton />} failure="Folders could not be loaded">
        {(folders) =>
          folders.length === 0 ? (
            <EmptyState
              icon={<Folders />}
              title="No folders yet"
              description="A folder holds the photos of a flight or a contest. Made public, it has a link where visitors rank them."
              action={newFolder}
            />
          ) : (
            <>
              <h2 className="sr-only">Folders</h2>
              <div className="mb-5 flex">{newFolder}</div>
              <FolderGrid folders={folders} />
            </>
          )
        }
      </Loaded>
      <CreateFolderDialog open={creating} onClose={() => setCreating(false)} />
    </>
  )
}

function FolderGrid({ folders }: { folders: Folder[] }) {
  const [chosen, setChosen] = useState<{ id: number; action: FolderAction | null } | null>(null)
  const folder = folders.find(({ id }) => id === chosen?.id)
  return (
    <>
      <ul className={GRID}>
        {folders.map((one) => (
          <li key={one.id} className="min-w-0">
            <FolderCard folder={one} onAction={(action) => setChosen({ id: one.id, action })} />
          </li>
        ))}
      </ul>
      {chosen && folder && (
        <FolderDialogs
          key={folder.id}
          folder={folder}
          action={chosen.action}
          onClose={() => setChosen({ id: folder.id, action: null })}
        />
      )}
    </>
  )
}

/** How many folders there are is not known: the footer, which would move with them, is invisible (`data-loads`). */
function FoldersSkeleton() {
  return (
    <div role="status" data-loads>
      <span className="sr-only">Loading folders</span>
      <Skeleton className="mb-5 h-11 w-36 rounded-md sm:h-10" />
      <div className={GRID}>
        {[1, 2, 3, 4].map((shape) => (
          <div key={shape}>
            <Skeleton className="aspect-3/2 rounded-lg" />
            <Skeleton className="mt-3 h-4 w-3/5" />
            <Skeleton className="mt-2 h-3 w-1/4" />
          </div>
        ))}
      </div>
    </div>
  )
}
