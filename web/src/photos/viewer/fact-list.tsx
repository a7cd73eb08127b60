import type { ReactNode } from 'react'

/** A list of facts about a photo. */
export function FactList({ children }: { children: ReactNode }) {
  return <dl className="grid gap-4">{children}</dl>
}

interface FactProps {
  icon: ReactNode
  label: string
  /** Null or empty: unknown, the line is omitted. */
  children: ReactNode
}

export function Fact({ icon, label, children }: FactProps) {
  if (children === null || children === undefined || children === '') return null
  return (
    <div className="relative pl-8">
      <dt className="text-sm text-muted">
        <span aria-hidden className="absolute top-0.5 left-0 [&>svg]:size-[18px]">
          {icon}
        </span>
        {label}
      </dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}
