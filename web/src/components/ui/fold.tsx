import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'

/** What few need to read, behind its title. */
export function Fold({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="group text-sm">
      <summary className="flex min-h-11 w-fit cursor-pointer items-center gap-1.5 rounded-md font-semibold sm:min-h-9 [&::-webkit-details-marker]:hidden">
        <span>{title}</span>
        <ChevronDown aria-hidden className="size-4 text-muted transition group-open:rotate-180" />
      </summary>
      {children}
    </details>
  )
}
