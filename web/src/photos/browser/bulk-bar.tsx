import { Download, FolderInput, Globe, Lock, Printer, Trash2 } from 'lucide-react'
import { Button } from '../../components/ui/button.tsx'
import { Menu, MenuItem } from '../../components/ui/menu.tsx'

interface BulkBarProps {
  /** `none`: nothing is selected; `all`: every photo is. */
  none: boolean
  all: boolean
  /** '12 photos'. */
  amount: string
  onAll: () => void
  onClear: () => void
  onMove: () => void
  onPrivacy: (isPublic: boolean) => void
  onDownload: () => void
  onPrint: () => void
  /** Why the selected photos cannot be printed; null if they can. */
  printingReason: string | null
  onDelete: () => void
}

/** The toolbar of select mode, at the bottom of the window: within the thumb's reach on a phone. */
export function BulkBar(props: BulkBarProps) {
  const { none, all, amount, onAll, onClear, onMove, onPrivacy, onDownload, onPrint, printingReason, onDelete } = props
  return (
    // As high as the bar, which would cover the end of the page.
    <div className="h-37 min-[1200px]:h-22">
      <section
        aria-label="Selected photos"
        data-bulk-bar
        className="fixed inset-x-3 bottom-[calc(12px+var(--upload-bar,0px))] z-20 mx-auto flex w-fit flex-wrap items-center justify-center gap-1 rounded-lg bg-surface px-2 py-1.5 shadow-high ring ring-line animate-pop sm:px-3 sm:py-2"
      >
        <div className="flex items-center gap-x-1">
          <p className="px-2 font-semibold tabular-nums max-sm:text-sm">
            {amount} <span className="font-normal text-muted">selected</span>
          </p>
          <Button variant="quiet" size="small" className="max-sm:px-2" disabled={all} onClick={onAll}>
            Select All
          </Button>
          <Button variant="quiet" size="small" className="max-sm:px-2" onClick={onClear}>
            Clear Selection
          </Button>
        </div>
        <span aria-hidden className="mx-1 hidden h-6 w-px bg-line lg:block" />
        <div className="flex flex-wrap items-center justify-center gap-1">
          <Button size="small" disabled={none} onClick={onMove} className="max-sm:[&>svg]:hidden">
            <FolderInput aria-hidden /> Move to folder
          </Button>
          <Menu
            trigger={
              <Button size="small" disabled={none}>
                <Globe aria-hidden /> <span className="max-sm:sr-only">Visibility</span>
              </Button>
            }
          >
            <MenuItem icon={<Globe />} hint="Seen with the link of a public folder." onSelect={() => onPrivacy(true)}>
              Make public
            </MenuItem>
            <MenuItem icon={<Lock />} hint="Visitors never see these photos." onSelect={() => onPrivacy(false)}>
              Make private
            </MenuItem>
          </Menu>
          <Button size="small" disabled={none} onClick={onDownload}>
            <Download aria-hidden /> <span className="max-sm:sr-only">Download</span>
          </Button>
          <Button
            size="small"
            disabled={none || printingReason !== null}
            title={printingReason ?? undefined}
            onClick={onPrint}
          >
            <Printer aria-hidden /> <span className="max-sm:sr-only">Order prints</span>
          </Button>
          <Button size="small" disabled={none} onClick={onDelete}>
            <Trash2 aria-hidden /> <span className="max-sm:sr-only">Delete selected</span>
          </Button>
        </div>
      </section>
    </div>
  )
}
