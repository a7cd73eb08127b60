import { FolderX } from 'lucide-react'
import { Link, useNavigate } from 'react-router-dom'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { isEmbedded } from '../../lib/served-page.ts'

export function ShareNotFound() {
  const navigate = useNavigate()
  return (
    <EmptyState
      heading="h1"
      icon={<FolderX />}
      title="Folder Not Found"
      description="The shared folder you're looking for doesn't exist or may have been removed."
      action={
        // In a frame it would leave the page around it.
        !isEmbedded && <Button onClick={() => (history.length > 1 ? navigate(-1) : navigate('/'))}>Go Back</Button>
      }
    />
  )
}

export function ViewOnlyNotFound() {
  return (
    <EmptyState
      heading="h1"
      icon={<FolderX />}
      title="Folder not found"
      description="The folder you're looking for doesn't exist or is not publicly shared."
      action={
        <Button asChild>
          <Link to="/">Back to Home</Link>
        </Button>
      }
    />
  )
}
