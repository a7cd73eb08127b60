import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { Link, useLocation, useParams } from 'react-router-dom'
import { folderQuery, userQuery } from '../api/queries.ts'
import { Button } from '../components/ui/button.tsx'
import { EmptyState } from '../components/ui/empty-state.tsx'
import { FolderNotFound, FolderScreen } from '../features/folders/folder-screen.tsx'
import { usePageTitle } from '../lib/use-page-title.ts'

export default function FolderPage() {
  const { id = '' } = useParams()
  const folderId = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : null
  return (
    <div className="gutters mx-auto max-w-[1180px] pt-5">
      {folderId === null ? <FolderNotFound /> : <SignedInFolder folderId={folderId} />}
    </div>
  )
}

function SignedInFolder({ folderId }: { folderId: number }) {
  const user = useQuery(userQuery)
  const folder = useQuery({ ...folderQuery(folderId), enabled: Boolean(user.data) })
  usePageTitle(folder.data?.name ?? 'Folder')
  if (user.data === null) return <PleaseLogIn />
  return <FolderScreen key={folderId} folderId={folderId} />
}

/** The session has ended while the screen was open. */
function PleaseLogIn() {
  const { pathname, search } = useLocation()
  return (
    <EmptyState
      heading="h1"
      icon={<LogIn />}
      title="Please log in to view your folders."
      action={
        <Button asChild variant="primary">
          <Link to="/auth" state={{ from: pathname + search }}>
            Login
          </Link>
        </Button>
      }
    />
  )
}
