import { type ReactNode, useMemo } from 'react'
import { ApiError, errorMessage, isRetryable } from '../../lib/http.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { Button } from './button.tsx'
import { AlertText } from './field.tsx'
import { Spinner } from './loading.tsx'

interface SubmitProps {
  children: ReactNode
  variant?: 'primary' | 'secondary' | 'danger'
  /** Of the button. */
  className?: string
  busy: boolean
  /** Of the last attempt; what belongs to a field is shown there. */
  error: unknown
  /** The id of the form that the button submits, if it is outside. */
  form?: string
  /** Without it the button submits its form. */
  onClick?: () => void
}

/** The main button, below the reason why the last attempt failed. */
export function Submit(props: SubmitProps) {
  return (
    <div className="grid gap-3">
      <AttemptFailure {...props} />
      <SubmitButton {...props} />
    </div>
  )
}

/** The main button alone. After a failure that may pass it says Retry, and waits as long as the server demands. */
export function SubmitButton({ children, variant = 'primary', className, busy, error, form, onClick }: SubmitProps) {
  const wait = useRetryWait(error)
  // Not `disabled`: the button would lose the focus. Enter in a field clicks it, too.
  const blocked = busy || wait > 0
  const retryLabel = wait > 0 ? `Try again in ${formatWait(wait)}` : 'Retry'
  const label = hasFailed(busy, error) && isRetryable(error) ? retryLabel : children
  return (
    <Button
      type={onClick ? 'button' : 'submit'}
      form={form}
      variant={variant}
      className={className}
      aria-disabled={blocked}
      aria-busy={busy}
      onClick={(event) => (blocked ? event.preventDefault() : onClick?.())}
    >
      {busy && <Spinner className="text-current" />}
      <span>{label}</span>
    </Button>
  )
}

/** Why the last attempt failed, unless a field says it. */
export function AttemptFailure({ busy, error }: Pick<SubmitProps, 'busy' | 'error'>) {
  return hasFailed(busy, error) ? <AlertText>{errorMessage(error)}</AlertText> : null
}

function hasFailed(busy: boolean, error: unknown): boolean {
  return !busy && error !== null && !(error instanceof ApiError && error.body?.fields)
}

/** The seconds until the server accepts another attempt, counted from when the error was first shown. */
function useRetryWait(error: unknown): number {
  const until = useMemo(() => (error instanceof ApiError ? Date.now() + error.retryAfter * 1000 : 0), [error])
  return useCountdown(until)
}

/** '42 s', from two minutes on '12 min', from two hours on '24 h'. */
function formatWait(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
