import type { ReactNode } from 'react'

interface PublicHeaderProps {
  badge: ReactNode
  name: string
  description: string | null
  /** '24 photos'; undefined while it is not known. */
  count: string | undefined
}

/** What a public folder is. The page shows the same at the same place before this runs (`.first-sight`). */
export function PublicHeader({ badge, name, description, count }: PublicHeaderProps) {
  return (
    <>
      <div className="flex">{badge}</div>
      <h1 className="mt-3 text-3xl font-bold wrap-anywhere sm:text-[34px]/[42px]">{name}</h1>
      {description && (
        <p className="mt-1.5 max-w-[62ch] whitespace-pre-line text-pretty wrap-anywhere text-muted">{description}</p>
      )}
      {count && <p className="mt-1.5 text-muted">{count}</p>}
    </>
  )
}
