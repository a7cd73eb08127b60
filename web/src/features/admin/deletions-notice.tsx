import { useQuery } from '@tanstack/react-query'
import { Hourglass } from 'lucide-react'
import { Link } from 'react-router-dom'
import { deletionsQuery } from '../../api/admin.ts'
import { isHeldUp } from './deletion-texts.ts'

/** Says that deletions wait for something; nothing otherwise. */
export function DeletionsNotice() {
  const { data: deletions = [] } = useQuery(deletionsQuery)
  const heldUp = deletions.filter((deletion) => isHeldUp(deletion)).length
  if (heldUp === 0) return null
  return (
    <p role="status" className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-soft px-4 py-3">
      <Hourglass aria-hidden className="size-5 shrink-0 text-warn" />
      <span className="min-w-0 flex-1 basis-48 text-pretty">
        {heldUp === 1 ? '1 deletion is' : `${heldUp} deletions are`} not complete yet.
      </span>
      <Link to="?tab=deletions" className="font-semibold text-accent hover:underline">
        Show deletions
      </Link>
    </p>
  )
}
