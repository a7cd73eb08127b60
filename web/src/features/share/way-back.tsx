import { useQuery } from '@tanstack/react-query'
import { ChevronLeft } from 'lucide-react'
import { Link } from 'react-router-dom'
import { foldersQuery } from '../../api/queries.ts'
import { isEmbedded } from '../../lib/served-page.ts'

/** From a public folder to the screen of its owner; nothing for other users. */
export function WayBack({ folderId }: { folderId: number }) {
  const { data: folders } = useQuery(foldersQuery)
  if (isEmbedded || !folders?.some(({ id }) => id === folderId)) return null
  return (
    <Link
      to={`/folders/${folderId}`}
      className="relative flex h-6 items-center gap-1 rounded-full bg-surface pr-2.5 pl-1.5 text-xs font-semibold text-text shadow-low after:absolute after:-inset-2.5 hover:bg-sunken"
    >
      <ChevronLeft aria-hidden className="size-4" /> Back to your folder
    </Link>
  )
}
