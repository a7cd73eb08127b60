import { CloudOff } from 'lucide-react'
import { Button } from '../../components/ui/button.tsx'
import { ApiError, errorMessage } from '../../lib/http.ts'
import { usePrinting } from '../use-printing.ts'

/** True without a response, and for a response of an unavailable service. */
export function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

interface OutageNoticeProps {
  error: unknown
  onRetry: () => void
}

/** Says that the service is unavailable and offers to retry. */
export function OutageNotice({ error, onRetry }: OutageNoticeProps) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-4 py-3">
      <CloudOff aria-hidden className="size-5 shrink-0 text-warn" />
      <div className="min-w-40 flex-1">
        <p className="font-semibold text-warn">
          {isOutage(error) ? 'Service unavailable' : 'The photo could not be loaded'}
        </p>
        <p className="text-sm">{errorMessage(error)}</p>
      </div>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

/** Says that prints cannot be ordered; nothing while they can. */
export function PrintingNotice() {
  const { reason } = usePrinting()
  if (reason === null) return null
  return (
    <p className="flex items-start gap-3 rounded-md bg-warn-soft px-4 py-3">
      <CloudOff aria-hidden className="mt-0.5 size-5 shrink-0 text-warn" />
      <span>
        <strong className="block font-semibold text-warn">Service unavailable</strong>
        <span className="block text-sm">{reason}</span>
      </span>
    </p>
  )
}
