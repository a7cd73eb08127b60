import { useState } from 'react'
import type { PublicFolder, PublicPhoto } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { UNREACHABLE } from '../../lib/http.ts'

interface DownloadAllProps {
  shareCode: string
  folder: PublicFolder
  photos: PublicPhoto[]
}

const FolderDownload = lazyComponent(() => import('./folder-download.tsx').then((code) => code.FolderDownload), {
  onFailure: ({ onClose }) => {
    toast({ title: 'Download could not be started', description: UNREACHABLE, tone: 'danger' })
    onClose()
  },
})

/** Offers all photos as one archive, where the link allows it. As high as the line of text that it is in. */
export function DownloadAll(props: DownloadAllProps) {
  const [isOpen, setOpen] = useState(false)
  const isOffered = props.folder.downloads !== 'none' && props.photos.length > 0
  return (
    <>
      {isOffered && (
        <button
          type="button"
          onClick={() => setOpen(true)}
          className="relative flex h-6 items-center rounded-full bg-surface px-2.5 text-xs font-semibold text-text shadow-low after:absolute after:-inset-2.5 hover:bg-sunken"
        >
          Download all
        </button>
      )}
      {isOpen && <FolderDownload {...props} onClose={() => setOpen(false)} />}
    </>
  )
}
