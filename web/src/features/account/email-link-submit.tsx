import { CircleAlert } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { Spinner } from '../../components/ui/spinner.tsx'
import { ApiError, errorMessage, isRetryable } from '../../lib/http.ts'
import { useCountdown } from '../../lib/use-countdown.ts'

interface SubmitProps {
  children: ReactNode
  variant?: 'primary' | 'secondary'
  /** Of the button. */
  className?: string
  busy: boolean
  /** Of the last attempt; what belongs to a field is shown there. */
  error: unknown
  /** Without it the button submits its form. */
  onClick?: () => void
}

/**
 * The main button, below the reason why the last attempt failed. After a failure that may pass it says Retry, and waits
 * as long as the server demands.
 */
export function Submit({ children, variant = 'primary', className, busy, error, onClick }: SubmitProps) {
  const wait = useRetryWait(error)
  const failed = !busy && error !== null && !(error instanceof ApiError && error.body?.fields)
  // Not `disabled`: the button would lose the focus. Enter in a field clicks it, too.
  const blocked = busy || wait > 0
  const retryLabel = wait > 0 ? `Try again in ${formatWait(wait)}` : 'Retry'
  const label = failed && isRetryable(error) ? retryLabel : children
  return (
    <div className="grid gap-3">
      {failed && <FailureNotice error={error} />}
      <Button
        type={onClick ? 'button' : 'submit'}
        variant={variant}
        className={className}
        aria-disabled={blocked}
        aria-busy={busy}
        onClick={(event) => (blocked ? event.preventDefault() : onClick?.())}
      >
        {busy && <Spinner className="text-current" />}
        {label}
      </Button>
    </div>
  )
}

export function FailureNotice({ error }: { error: unknown }) {
  return (
    <p role="alert" className="flex gap-2 rounded-md bg-danger-soft px-3 py-2.5 text-sm text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{errorMessage(error)}</span>
    </p>
  )
}

/** The seconds until the server accepts another attempt, counted from when the error was first shown. */
function useRetryWait(error: unknown): number {
  const until = useMemo(() => (error instanceof ApiError ? Date.now() + error.retryAfter * 1000 : 0), [error])
  return useCountdown(until)
}

/** '42 s', from two minutes on '12 min'. */
function formatWait(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
