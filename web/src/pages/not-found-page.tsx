import { MapPinOff } from 'lucide-react'
import { Link } from 'react-router-dom'
import { Button } from '../components/ui/button.tsx'
import { EmptyState } from '../components/ui/empty-state.tsx'
import { usePageTitle } from '../lib/routing.ts'

export default function NotFoundPage() {
  usePageTitle('404 Page Not Found')
  return (
    <EmptyState
      heading="h1"
      icon={<MapPinOff />}
      title="404 Page Not Found"
      description="Did you forget to add the page to the router?"
      action={
        <Button asChild>
          <Link to="/">Go to the start page</Link>
        </Button>
      }
    />
  )
}
