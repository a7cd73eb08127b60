import { Route } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { lazyComponent } from '../../components/lazy.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { useFileDrop } from '../../lib/files.ts'
import { UNREACHABLE } from '../../lib/http.ts'
import type { PhotosToPlace } from './track-dialog.tsx'

const TrackDialog = lazyComponent(() => import('./track-dialog.tsx').then((code) => code.TrackDialog), {
  onFailure: ({ onClose }) => {
    onClose()
    toast({ title: 'The track could not be opened', description: UNREACHABLE, tone: 'danger' })
  },
})

/**
 * Places photos by a track, which is dropped on the screen or chosen in the dialog that `open` shows. The screen renders `element`.
 * No photos: a dropped track is answered with a hint.
 */
export function useTrackPlacing(photos: PhotosToPlace): { open: () => void; element: ReactNode } {
  const [tracks, setTracks] = useState<File[] | null>(null)
  const over = useFileDrop({
    // Before the window's listener, which uploads.
    target: document,
    accepts({ type, dataTransfer }) {
      if (!dataTransfer || document.querySelector('[role*="dialog"]')) return false
      // The names are known at the drop.
      return type === 'drop' ? hasTracks(dataTransfer) : photos.count > 0 && mayHaveTracks(dataTransfer)
    },
    onDrop({ files }) {
      if (photos.count > 0) setTracks([...files])
      else
        toast({
          title: 'Select photos first',
          description: 'Then drop the track again: it places them by time.',
          tone: 'neutral',
        })
    },
  })
  return {
    open: () => setTracks([]),
    element: (
      <>
        {over && (
          <div className="pointer-events-none fixed inset-3 z-70 grid place-content-center justify-items-center gap-2 rounded-lg border-2 border-dashed border-accent bg-accent-soft/90 text-lg font-semibold">
            <Route aria-hidden className="size-9 text-accent" />
            <p>{`Drop a GPX track to place ${photos.amount}`}</p>
          </div>
        )}
        {tracks && <TrackDialog photos={photos} dropped={tracks} onClose={() => setTracks(null)} />}
      </>
    ),
  }
}

function hasTracks({ files }: DataTransfer): boolean {
  return files.length > 0 && [...files].every(({ name }) => /\.gpx$/i.test(name))
}

/** Few systems know a media type of GPX files. */
function mayHaveTracks({ items }: DataTransfer): boolean {
  return [...items].every(({ type }) => type === '' || /gpx|xml/.test(type))
}
