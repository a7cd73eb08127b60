import { CircleAlert } from 'lucide-react'

/** What failed, as a sentence that stays. */
export function AlertText({ children }: { children: string }) {
  return (
    <p role="alert" className="flex gap-2 rounded-md bg-danger-soft px-3 py-2.5 text-sm text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  )
}
