import { MapPinOff } from 'lucide-react'
import { EmptyState } from '../components/ui/empty-state.tsx'
import { LinkButton } from '../components/ui/link-button.tsx'
import { usePageTitle } from '../lib/routing.ts'

export default function NotFoundPage() {
  usePageTitle('404 Page Not Found')
  return (
    <EmptyState
      heading="h1"
      icon={<MapPinOff />}
      title="404 Page Not Found"
      description="Did you forget to add the page to the router?"
      action={<LinkButton to="/">Go to the start page</LinkButton>}
    />
  )
}
