import { type ReactNode, useId } from 'react'

interface SectionProps {
  title: string
  description?: ReactNode
  children: ReactNode
}

/** A part of the profile with its heading. */
export function Section({ title, description, children }: SectionProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="grid content-start gap-4 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-6"
    >
      <div>
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {description && <p className="text-pretty text-muted">{description}</p>}
      </div>
      {children}
    </section>
  )
}
