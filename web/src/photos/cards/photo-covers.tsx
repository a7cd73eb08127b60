import { Images } from 'lucide-react'
import { PhotoImage } from '../../components/photo-image.tsx'
import { cx } from '../../lib/cx.ts'

const LAYOUTS = ['', '', 'grid-cols-2', 'grid-cols-2 grid-rows-2 *:first:row-span-2', 'grid-cols-2 grid-rows-2']

/** Up to four photos of a folder or a flight as one picture, as decoration beside its name. */
export function PhotoCovers({ covers }: { covers: string[] }) {
  if (covers.length === 0) {
    return (
      <div className="grid aspect-3/2 place-items-center rounded-lg bg-sunken text-muted">
        <Images aria-hidden className="size-8" strokeWidth={1.5} />
      </div>
    )
  }
  return (
    <div className={cx('grid aspect-3/2 gap-0.5 overflow-hidden rounded-lg', LAYOUTS[covers.length])}>
      {covers.map((cover) => (
        <PhotoImage key={cover} src={cover} alt="" thumbhash={null} className="min-h-0" />
      ))}
    </div>
  )
}
