import { useQueryClient } from '@tanstack/react-query'
import { ShieldOff } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import { environmentQuery } from '../../api/admin.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { errorMessage, hasStatus } from '../../lib/http.ts'

interface FailureProps {
  title: string
  error: unknown
  onRetry: () => void
}

/** Says why something could not be loaded; for an administrator who lost the rights, that. */
export function Failure({ title, error, onRetry }: FailureProps) {
  const client = useQueryClient()
  const forbidden = hasStatus(error, 403)
  useEffect(() => {
    // The whole screen then says it.
    if (forbidden) void client.invalidateQueries({ queryKey: environmentQuery.queryKey })
  }, [client, forbidden])
  if (forbidden) return <NoPermission />
  return <ErrorState title={title} description={errorMessage(error)} onRetry={onRetry} />
}

export function NoPermission({ heading }: { heading?: 'h1' | 'h2' }) {
  return (
    <div role="alert">
      <EmptyState
        heading={heading}
        icon={<ShieldOff />}
        title="You don't have permission to access this page."
        action={
          <Button asChild>
            <Link to="/">Go to the start page</Link>
          </Button>
        }
      />
    </div>
  )
}
