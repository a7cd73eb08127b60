import type { ReactNode } from 'react'

/** A list of what is known of a photo. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid gap-4">{children}</dl>
}

interface FactProps {
  icon: ReactNode
  label: string
  /** Null or empty: it is not known, and the line is left out. */
  children: ReactNode
}

export function Fact({ icon, label, children }: FactProps) {
  if (children === null || children === undefined || children === '') return null
  return (
    <div className="grid grid-cols-[20px_1fr] gap-x-3">
      <span aria-hidden className="row-span-2 mt-0.5 text-muted [&>svg]:size-[18px]">
        {icon}
      </span>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}
