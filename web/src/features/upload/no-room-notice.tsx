import { HardDrive } from 'lucide-react'
import { Link } from 'react-router-dom'
import { countOf } from '../../lib/format.ts'

/** Says that files do not fit into the user's storage, and where to make room. */
export function NoRoomNotice({ count, all }: { count: number; all: number }) {
  if (count === 0) return null
  const subject = `${countOf(count, 'photo')} ${count === 1 ? 'does' : 'do'} not fit into your storage.`
  return (
    <div role="alert" className="flex gap-3 rounded-md bg-danger-soft px-4 py-3 text-sm">
      <HardDrive aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <p>
        <span className="font-semibold">{subject}</span> {count < all && 'The others were not affected. '}Delete photos,
        then come back here by Show at the bottom of the page, and choose Retry failed. <StorageLink />
      </p>
    </div>
  )
}

/** To the screen that shows what takes the storage. The files stay in the list. */
export function StorageLink() {
  return (
    <Link to="/profile?tab=statistics" className="font-semibold whitespace-nowrap text-accent hover:underline">
      See what uses your storage
    </Link>
  )
}
