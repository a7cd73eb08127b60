import { type ReactNode, type Ref, useId } from 'react'

interface SectionProps {
  title: string
  description?: ReactNode
  children: ReactNode
  /** For moving the focus there, when the control that had it is no longer there. */
  headingRef?: Ref<HTMLHeadingElement>
}

/** A part of the profile with its heading. */
export function Section({ title, description, children, headingRef }: SectionProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="grid content-start gap-4 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-6"
    >
      <div>
        <h2
          ref={headingRef}
          tabIndex={headingRef ? -1 : undefined}
          id={id}
          className="text-lg font-semibold outline-none"
        >
          {title}
        </h2>
        {description && <p className="text-pretty text-muted">{description}</p>}
      </div>
      {children}
    </section>
  )
}
