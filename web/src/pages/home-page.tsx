import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { ImagePlus, Plane, Upload } from 'lucide-react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { photoPageQuery } from '../api/photo-lists.ts'
import { configQuery, foldersQuery } from '../api/queries.ts'
import { lazyComponent } from '../components/lazy.tsx'
import { Button } from '../components/ui/button.tsx'
import { EmptyState } from '../components/ui/empty-state.tsx'
import { LinkButton } from '../components/ui/link-button.tsx'
import { Skeleton } from '../components/ui/loading.tsx'
import { MenuItem } from '../components/ui/menu.tsx'
import { TabPanel, Tabs } from '../components/ui/tabs.tsx'
import { FoldersTab } from '../features/folders/folders-tab.tsx'
import { FixLocations, PhotosTab } from '../features/gallery/photos-tab.tsx'
import { openUpload, useUploadDialogState } from '../features/upload/dialog-state.ts'
import { cx } from '../lib/cx.ts'
import { countOf } from '../lib/format.ts'
import { usePageTitle } from '../lib/routing.ts'
import { allPhotos, isMapTab, withMapTab } from '../photos/browser/filters.ts'
import { useSettings } from '../photos/use-settings.ts'

const NewestFlights = lazyComponent(
  () => import('../features/flights/flight-card.tsx').then((code) => code.NewestFlights),
  { afterFirstScreen: true },
)

/** The home screen: `/` and `/upload` show the photos, `/folders` the folders. */
export default function HomePage() {
  usePageTitle('Drone Photo Manager')
  useUploadLink()
  // Loads the limits before the upload dialog opens.
  usePrefetchQuery(configQuery)
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const counts = useCounts()
  const photosTab = isMapTab(search) ? 'map' : 'photos'
  const tab = pathname === '/folders' ? 'folders' : photosTab
  // Its button is the only one of its screen.
  const isFirstStep = tab !== 'folders' && counts.photos === 0
  return (
    <div className="page pt-2 sm:pt-7">
      <header className="flex items-center justify-between gap-x-3 gap-y-4 sm:mb-4 sm:flex-wrap sm:items-end sm:gap-x-6">
        <div className="min-w-0">
          <h1 className="truncate text-lg font-bold sm:text-2xl lg:text-3xl">Drone Photo Manager</h1>
          {/* On phones the tabs say it. */}
          {counts.photos === undefined || counts.folders === undefined ? (
            <Skeleton className="my-1 hidden h-4 w-44 sm:block" />
          ) : (
            <p className="hidden text-muted sm:block">
              {`${countOf(counts.photos, 'photo')} · ${countOf(counts.folders, 'folder')}`}
            </p>
          )}
        </div>
        {!isFirstStep && (
          <div className="flex gap-x-1 gap-y-1.5 sm:min-w-80 sm:flex-1 sm:flex-wrap sm:justify-end lg:gap-x-3">
            {counts.photos !== 0 && (
              <LinkButton to="/flights" variant="quiet" className="max-sm:hidden">
                <Plane aria-hidden /> Flights
              </LinkButton>
            )}
            {counts.photos !== 0 && <FixLocations more={<FlightsItem />} />}
            <UploadButton isShort />
          </div>
        )}
      </header>
      <Tabs
        label="Photos and folders"
        value={tab}
        onValueChange={(chosen) => navigate(pathOfTab(chosen, search), { preventScrollReset: true })}
        tabs={[
          { value: 'folders', label: 'Folders', count: counts.folders },
          { value: 'photos', label: 'Photos', count: counts.photos },
          { value: 'map', label: 'Map' },
        ]}
      >
        <TabPanel value="folders" flush>
          <FoldersTab />
        </TabPanel>
        {/* One panel: what is selected in the grid is selected on the map. */}
        <TabPanel value={photosTab} flush>
          <PhotosTab firstStep={FIRST_STEP} />
          {tab === 'map' && <NewestFlights />}
        </TabPanel>
      </Tabs>
    </div>
  )
}

/** Photos and map have the same filters. */
function pathOfTab(tab: string, search: URLSearchParams): string {
  if (tab === 'folders') return '/folders'
  const parameters = withMapTab(search, tab === 'map').toString()
  return parameters ? `/?${parameters}` : '/'
}

/** The link to the flights on phones, where the buttons have no room. */
function FlightsItem() {
  const navigate = useNavigate()
  return (
    <MenuItem icon={<Plane />} onSelect={() => navigate('/flights')}>
      Flights
    </MenuItem>
  )
}

/** The same element, so that new counts above do not render the photos again. */
const FIRST_STEP = (
  <>
    <EmptyState
      icon={<ImagePlus />}
      title="No photos found"
      description="Upload some photos to get started"
      action={<UploadButton />}
    />
    <FirstSteps />
  </>
)

const STEPS = [
  {
    title: 'Upload your photos',
    text: 'Skyfolio reads where, when and with which camera each one was taken. Originals stay as they are.',
  },
  {
    title: 'Sort them into folders',
    text: 'One for each flight or contest. Only you can see a folder until you make it public.',
  },
  {
    title: 'Share a folder by its link',
    text: 'Visitors rank their favorites without an account, and you watch the standings.',
  },
]

/** What a new user can expect; the one thing to do is the button above. */
function FirstSteps() {
  return (
    <section aria-label="First steps" className="mx-auto -mt-4 max-w-4xl border-t border-line px-4 py-8">
      <ol className="grid gap-6 sm:grid-cols-3">
        {STEPS.map(({ title, text }, index) => (
          <li key={title} className="flex gap-3">
            <span
              aria-hidden
              className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent tabular-nums"
            >
              {index + 1}
            </span>
            <div>
              <h3 className="font-semibold">{title}</h3>
              <p className="mt-0.5 text-sm text-pretty text-muted">{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** `isShort`: on phones, where it has little room. */
function UploadButton({ isShort = false }: { isShort?: boolean }) {
  return (
    <Button variant="primary" onClick={() => openUpload()}>
      <Upload aria-hidden />
      <span>
        Upload<span className={cx(isShort && 'max-sm:sr-only')}> Photos</span>
      </span>
    </Button>
  )
}

/** Undefined until they are known. */
function useCounts() {
  const { sort, isKnown } = useSettings()
  const photos = useQuery({ ...photoPageQuery(allPhotos(sort), 0), enabled: isKnown })
  const folders = useQuery(foldersQuery)
  return { photos: photos.data?.total, folders: folders.data?.length }
}

/** /upload opens the dialog, and is left with it; `?folder=` preselects the folder. */
function useUploadLink(): void {
  const navigate = useNavigate()
  const { pathname, key } = useLocation()
  const [search] = useSearchParams()
  const folder = Number(search.get('folder'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: following the link again (another key) opens it again
  useEffect(() => {
    if (pathname === '/upload') openUpload(folder > 0 ? folder : null)
  }, [pathname, key, folder])

  const { open } = useUploadDialogState()
  const wasOpen = useRef(false)
  const closed = useEffectEvent(() => pathname === '/upload' && navigate('/', { replace: true }))
  useEffect(() => {
    if (wasOpen.current && !open) closed()
    wasOpen.current = open
  }, [open])
}
