import { TriangleAlert } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Button } from '../../components/ui/button.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { useActivity } from './wizard-store.ts'

/** The main button of a step, which leads on. */
export interface NextButton extends ComponentProps<typeof Button> {
  /** What stands beside the buttons. */
  note?: string | null
  /** Another way on. */
  other?: ReactNode
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

/** Loads what a step lacks, as soon as nothing else is running. `failed`: that has ended in vain, and nothing is running now. */
export function useMissing(isMissing: boolean, load: () => Promise<void>): { failed: boolean; retry: () => void } {
  const { busy } = useActivity()
  const [wasTried, setWasTried] = useState(false)
  const isDue = isMissing && !wasTried && busy === null
  const start = useEffectEvent(() => {
    setWasTried(true)
    void load()
  })
  useEffect(() => {
    if (isDue) start()
  }, [isDue])
  return { failed: wasTried && busy === null, retry: () => void load() }
}

export function ProgressLine({ label }: { label: string }) {
  const { busy, progress, text } = useActivity()
  const line = useRef<HTMLDivElement>(null)
  const isShown = busy !== null && text !== ''
  useEffect(() => {
    if (isShown) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown])
  return (
    <div ref={line} role="status" className="grid gap-1.5">
      {isShown && (
        <>
          <Progress value={progress} label={label} />
          <p className="text-sm text-muted">{text}</p>
        </>
      )}
    </div>
  )
}

/** What the user should know of a print before it is ordered. */
export function PrintWarning({ text }: { text: string }) {
  return (
    <p className="flex items-start gap-1.5 text-sm text-warn wrap-anywhere">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>{text}</span>
    </p>
  )
}

type RadioCardProps = ComponentProps<'input'> & { footer?: ReactNode }

/** One of several choices as a card; the class is that of its label. Links cannot be in the label: they are the footer. */
export function RadioCard({ children, footer, className, ...input }: RadioCardProps) {
  return (
    <div className="relative rounded-md inset-ring inset-ring-line transition hover:bg-sunken has-checked:bg-accent-soft has-checked:inset-ring-2 has-checked:inset-ring-accent has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-2 has-[input:focus-visible]:outline-accent">
      <label className={cx('flex cursor-pointer gap-3 px-4', className)}>
        <input type="radio" className="size-5 shrink-0 accent-accent outline-none" {...input} />
        {children}
      </label>
      {footer}
    </div>
  )
}
