import { ImageOff } from 'lucide-react'

/** Shown for a photo that browsers cannot display. */
export function NoPreview() {
  return (
    <span className="absolute inset-0 flex flex-col items-center justify-center gap-2 p-3 text-sm text-muted">
      <ImageOff aria-hidden className="size-6" />
      <span className="first-letter:uppercase">preview not available</span>
    </span>
  )
}
