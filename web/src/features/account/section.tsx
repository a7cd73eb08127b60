import { type ReactNode, type Ref, useId } from 'react'
import { cx } from '../../lib/cx.ts'

interface SectionProps {
  title: string
  description?: ReactNode
  children: ReactNode
  /** Where links on the page lead. */
  anchor?: string
  /** For what cannot be taken back. */
  danger?: boolean
  /** For moving the focus there, when the control that had it is no longer there. */
  headingRef?: Ref<HTMLHeadingElement>
}

export function Section({ title, description, children, anchor, danger = false, headingRef }: SectionProps) {
  const id = useId()
  return (
    <section
      id={anchor}
      tabIndex={anchor ? -1 : undefined}
      aria-labelledby={id}
      className={cx(
        'grid content-start gap-4 scroll-mt-20 rounded-lg bg-surface p-4 shadow-low ring outline-none sm:p-6',
        danger ? 'ring-danger/50' : 'ring-line',
      )}
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
