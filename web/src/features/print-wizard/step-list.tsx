import { Check } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { cx } from '../../lib/cx.ts'
import { STEPS, type Step } from './wizard-types.ts'

const LABELS: Record<Step, string> = {
  upload: 'Upload',
  products: 'Products',
  stores: 'Stores',
  order: 'Order',
  complete: 'Complete',
}

/** The five numbered steps; on phones only the current one has its name. */
export function StepList({ step }: { step: Step }) {
  const current = STEPS.indexOf(step)
  const list = useRef<HTMLOListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step begins at its top
  useEffect(() => {
    list.current?.scrollIntoView({ block: 'nearest' })
  }, [step])
  return (
    <ol ref={list} aria-label="Steps" className="mb-4 scroll-mt-4 flex items-center gap-1.5 text-sm sm:gap-2">
      {STEPS.map((name, index) => (
        <li
          key={name}
          aria-current={index === current ? 'step' : undefined}
          className={cx(
            'flex items-center gap-1.5 sm:gap-2 [&:not(:last-child)]:flex-1',
            index > current ? 'text-muted' : 'text-text',
          )}
        >
          <span
            className={cx(
              'grid size-7 shrink-0 place-items-center rounded-full font-semibold',
              index === current && 'bg-accent text-on-accent',
              index < current && 'bg-accent-soft text-accent',
              index > current && 'bg-sunken',
            )}
          >
            {index < current ? <Check aria-hidden className="size-4" /> : index + 1}
            {index < current && <span className="sr-only">{index + 1}, done:</span>}
          </span>
          <span className={cx(index === current ? 'font-semibold' : 'max-sm:sr-only')}>{LABELS[name]}</span>
          {index < STEPS.length - 1 && <span aria-hidden className="h-px min-w-2 flex-1 bg-line" />}
        </li>
      ))}
    </ol>
  )
}

/** The heading of a step: it gets the focus when the step begins. */
export function StepHeading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h3 ref={heading} tabIndex={-1} data-autofocus className="text-lg font-semibold outline-none">
      {children}
    </h3>
  )
}
