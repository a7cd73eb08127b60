import { Dialog } from '../../components/ui/dialog.tsx'

const KEYS: [keys: string[], does: string][] = [
  [['←', '→', '↑', '↓'], 'Go from photo to photo'],
  [['Home', 'End', 'Page Up', 'Page Down'], 'Jump through the list'],
  [['Enter'], 'Open the photo'],
  [['Space'], 'Select the photo'],
  [['Shift', '← → ↑ ↓'], 'Select a range (also Shift and a click)'],
  [['Ctrl', 'A'], 'Select all photos'],
  [['Delete'], 'Delete the photo, or those that are selected'],
  [['Escape'], 'Leave the selection'],
  [['/'], 'Search titles, descriptions, places, dates, cameras, formats and file names'],
  [['F'], 'Show the open photo in full screen'],
  [['S'], 'Start or pause the slideshow from the open photo'],
  [['?'], 'Show this help'],
]

export function HelpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onOpenChange={(stays) => !stays && onClose()} title="Keyboard shortcuts">
      {/* In a low window it scrolls, also by keyboard. */}
      <dl tabIndex={0} data-autofocus className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2.5">
        {KEYS.map(([keys, does]) => (
          <div key={does} className="contents">
            <dt className="flex flex-wrap gap-1">
              {keys.map((key) => (
                <kbd key={key} className="rounded-sm bg-sunken px-2 py-0.5 font-sans text-sm">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="text-muted">{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
