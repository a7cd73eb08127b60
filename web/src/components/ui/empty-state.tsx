import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { errorMessage } from '../../lib/http.ts'
import { Button } from './button.tsx'

interface EmptyStateProps {
  icon: ReactNode
  title: string
  /** What it means for the user. */
  description?: ReactNode
  /** The next step, if there is one. */
  action?: ReactNode
  /** h1 for a whole screen, h2 (the default) for a part of a screen, h3 inside such a part. */
  heading?: 'h1' | 'h2' | 'h3'
}

/** Says that there is nothing here, why, and what to do. */
export function EmptyState({ icon, title, description, action, heading: Heading = 'h2' }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-4 py-16 text-center">
      <span
        aria-hidden
        className="mb-4 grid size-14 place-items-center rounded-full bg-sunken text-muted [&>svg]:size-6"
      >
        {icon}
      </span>
      <Heading className="text-xl font-semibold">{title}</Heading>
      {description && <p className="mt-1 text-pretty text-muted">{description}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  )
}

interface ErrorStateProps {
  title: string
  description: ReactNode
  onRetry?: () => void
  heading?: 'h1' | 'h2'
}

/** Says what failed and offers to try again. */
export function ErrorState({ title, description, onRetry, heading }: ErrorStateProps) {
  return (
    <div role="alert">
      <EmptyState
        icon={<CircleAlert />}
        title={title}
        description={description}
        heading={heading}
        action={onRetry && <Button onClick={onRetry}>Try again</Button>}
      />
    </div>
  )
}

/** What a query is read for. */
interface Query<T> {
  data: T | undefined
  error: unknown
  refetch: () => unknown
}

interface QueryFailureProps extends Pick<ErrorStateProps, 'title' | 'heading'> {
  query: Pick<Query<unknown>, 'error' | 'refetch'>
}

/** Says why a query failed and offers to read it again. */
export function QueryFailure({ query: { error, refetch }, ...texts }: QueryFailureProps) {
  return <ErrorState {...texts} description={errorMessage(error)} onRetry={() => void refetch()} />
}

interface LoadingStateProps {
  /** For screen readers, as 'Loading folders'. */
  label: string
  className?: string
  /** The skeleton. */
  children: ReactNode
}

export function LoadingState({ label, className, children }: LoadingStateProps) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}

interface LoadedProps<T> {
  query: Query<T>
  /** Until there are data. */
  loading: ReactNode
  /** The title of a failure, as 'Folders could not be loaded'. */
  failure: string
  children: (data: T) => ReactNode
}

/** What a query has read; until then its skeleton, or why it failed. */
export function Loaded<T>({ query, loading, failure, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data)
  return query.error ? <QueryFailure query={query} title={failure} /> : loading
}
