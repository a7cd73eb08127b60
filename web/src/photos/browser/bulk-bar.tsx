import { Combine, Download, FolderInput, Globe, Lock, Printer, Route, Trash2 } from 'lucide-react'
import { Button } from '../../components/ui/button.tsx'
import { Menu, MenuItem } from '../../components/ui/menu.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
import { possiblePair } from '../photo-facts.ts'
import { openPrintWizard, usePrinting } from '../printing.ts'
import { usePairing } from '../use-photo-changes.ts'
import type { BulkChange } from './bulk-changes.ts'
import type { PhotoSelection } from './selection.ts'

interface BulkBarProps {
  selected: PhotoSelection
  bulk: BulkChange
  isAll: boolean
  onDownload: () => void
  onPlaceByTrack: () => void
}

/** The toolbar of select mode, at the bottom of the window: within the thumb's reach on a phone. */
export function BulkBar({ selected, bulk, isAll, onDownload, onPlaceByTrack }: BulkBarProps) {
  const { amount, count, all, clear } = selected
  const isNone = count === 0
  const { reason: noPrints } = usePrinting(count)
  const pair = count === 2 ? possiblePair(selected.known()) : undefined
  const pairing = usePairing()
  const setPublic = (isPublic: boolean) => bulk.run({ action: 'privacy', isPublic }, null)

  async function print(): Promise<void> {
    try {
      openPrintWizard({ photoIds: await selected.readIds() })
    } catch (error) {
      toastFailure('Photos could not be selected', error)
    }
  }

  return (
    <section
      aria-label="Selected photos"
      data-bulk-bar
      className="fixed inset-x-3 bottom-[calc(12px+var(--upload-bar,0px))] z-20 mx-auto flex w-fit flex-wrap items-center justify-center gap-1 rounded-lg bg-surface px-2 py-1.5 shadow-high ring ring-line animate-pop sm:px-3 sm:py-2"
    >
      <div className="flex items-center gap-x-1">
        <p className="px-2 font-semibold tabular-nums max-sm:text-sm">
          <span>{amount}</span> <span className="font-normal text-muted">selected</span>
        </p>
        <Button variant="quiet" size="small" className="max-sm:px-2" disabled={isAll} onClick={all}>
          Select All
        </Button>
        <Button variant="quiet" size="small" className="max-sm:px-2" onClick={clear}>
          Clear Selection
        </Button>
      </div>
      <span aria-hidden className="mx-1 hidden h-6 w-px bg-line lg:block" />
      <div className="flex flex-wrap items-center justify-center gap-1">
        <Button
          size="small"
          disabled={isNone}
          onClick={() => bulk.askFirst('folder')}
          className="max-sm:[&_svg]:hidden"
        >
          <FolderInput aria-hidden /> Move to folder
        </Button>
        <Menu
          trigger={
            <Button size="small" disabled={isNone}>
              <Globe aria-hidden /> <span className="max-sm:sr-only">Visibility</span>
            </Button>
          }
        >
          <MenuItem
            icon={<Globe />}
            hint="Everyone with the link to their public folder can see them."
            onSelect={() => setPublic(true)}
          >
            Make public
          </MenuItem>
          <MenuItem icon={<Lock />} hint="Only you can see them." onSelect={() => setPublic(false)}>
            Make private
          </MenuItem>
        </Menu>
        <Button size="small" disabled={isNone} onClick={onDownload}>
          <Download aria-hidden /> <span className="max-sm:sr-only">Download</span>
        </Button>
        <Button size="small" disabled={isNone || noPrints !== null} title={noPrints ?? undefined} onClick={print}>
          <Printer aria-hidden /> <span className="max-sm:sr-only">Order prints</span>
        </Button>
        <Button
          size="small"
          disabled={isNone}
          title="Place the photos by the times of a GPX track"
          onClick={onPlaceByTrack}
        >
          <Route aria-hidden /> <span className="max-xl:sr-only">Place with a GPX track…</span>
        </Button>
        {pair && (
          <Button
            size="small"
            busy={pairing.isPending}
            title="The JPEG and the raw file of one shot become one photo"
            onClick={() => pairing.mutate({ id: pair.jpeg.id, rawId: pair.raw.id, paired: true }, { onSuccess: clear })}
          >
            <Combine aria-hidden /> <span className="max-lg:sr-only">Pair</span>
          </Button>
        )}
        <Button size="small" disabled={isNone} onClick={() => bulk.askFirst('delete')}>
          <Trash2 aria-hidden /> <span className="max-sm:sr-only">Delete selected</span>
        </Button>
      </div>
    </section>
  )
}
