import { CircleAlert } from 'lucide-react'
import { ApiError, errorMessage } from '../../lib/http.ts'

/** Why the last save failed, above the buttons of its dialog; what belongs to a field is shown there. */
export function SaveFailure({ error }: { error: unknown }) {
  if (!error) return null
  if (error instanceof ApiError && error.body?.fields) return null
  return (
    <p role="alert" className="flex basis-full! gap-2 rounded-md bg-danger-soft px-3 py-2.5 text-sm text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{errorMessage(error)}</span>
    </p>
  )
}
