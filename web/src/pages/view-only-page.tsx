import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { publicFolderQuery, publicPhotosQuery } from '../api/queries.ts'
import { lazyComponent } from '../components/lazy.tsx'
import { Loaded } from '../components/ui/empty-state.tsx'
import { ScreenSpinner } from '../components/ui/loading.tsx'
import { hasPage } from '../features/share/link-rules.ts'
import { LockedLink } from '../features/share/locked-link.tsx'
import { DownloadAll } from '../features/share/public-folder.tsx'
import { ViewOnlyFolder, ViewOnlyHeader, ViewOnlySkeleton } from '../features/share/view-only-folder.tsx'
import { countOf } from '../lib/format.ts'
import { hasStatus } from '../lib/http.ts'
import { usePageTitle } from '../lib/routing.ts'
import { prerenderedFolder } from '../lib/served-page.ts'

const ViewOnlyNotFound = lazyComponent(
  () => import('../features/share/not-found.tsx').then((code) => code.ViewOnlyNotFound),
  {
    Loading: () => <ScreenSpinner />,
    failure: 'The page could not be loaded',
  },
)

const PAGES = { dialog: 'view', card: 'browse' } as const

/** A view-only folder. Its photos are requested once the folder is known to exist. */
export function ViewOnlyPage({ details }: { details: 'dialog' | 'card' }) {
  const { shareCode = '' } = useParams()
  const folder = useQuery(publicFolderQuery(shareCode))
  const photos = useQuery({ ...publicPhotosQuery(shareCode), enabled: Boolean(folder.data) })
  const isLocked = folder.data === null || photos.data === null
  const isGone =
    [folder.error, photos.error].some((error) => hasStatus(error, 404)) ||
    (folder.data ? !hasPage(folder.data, PAGES[details]) : folder.error && !isLocked)
  usePageTitle(isGone ? 'Folder not found' : isLocked ? 'Protected folder' : folder.data?.name)
  if (isGone) return <ViewOnlyNotFound />
  if (isLocked) return <LockedLink shareCode={shareCode} />

  const known = folder.data ?? prerenderedFolder()
  const count = photos.data ? countOf(photos.data.length, 'photo') : prerenderedFolder()?.count
  const isEmpty = count === countOf(0, 'photo')
  return (
    <>
      {known && (
        <ViewOnlyHeader
          id={folder.data?.id}
          name={known.name}
          description={known.description}
          photographer={known.photographer}
          count={count}
          isEmpty={isEmpty}
        >
          {folder.data && photos.data && (
            <DownloadAll shareCode={shareCode} folder={folder.data} photos={photos.data} />
          )}
        </ViewOnlyHeader>
      )}
      <Loaded
        query={photos}
        loading={known ? <ViewOnlySkeleton /> : <ScreenSpinner label="Loading the folder" />}
        failure="Failed to fetch photos"
      >
        {(loaded) =>
          folder.data &&
          loaded && (
            <ViewOnlyFolder
              key={shareCode}
              shareCode={shareCode}
              folder={folder.data}
              photos={loaded}
              details={details}
            />
          )
        }
      </Loaded>
    </>
  )
}
