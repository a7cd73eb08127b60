import { lazyComponent } from '../../components/lazy.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { UNREACHABLE } from '../../lib/http.ts'

/** The photo viewer: a large part of the code, which a first visit does not need. */
export const PhotoViewer = lazyComponent(() => import('./photo-viewer.tsx').then((code) => code.PhotoViewer), {
  onFailure: ({ onClose }) => {
    toast({ title: 'Photo could not be opened', description: UNREACHABLE, tone: 'danger' })
    onClose()
  },
})
