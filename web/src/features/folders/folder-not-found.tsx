import { FolderX } from 'lucide-react'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { LinkButton } from '../../components/ui/link-button.tsx'

export function FolderNotFound() {
  return (
    <EmptyState
      heading="h1"
      icon={<FolderX />}
      title="Folder not found"
      description="It may have been deleted, or it belongs to somebody else."
      action={<LinkButton to="/folders">Back to folders</LinkButton>}
    />
  )
}
