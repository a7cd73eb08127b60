import { type ReactNode, useEffect, useRef } from 'react'
import { cx } from '../../lib/cx.ts'
import { usePageTitle } from '../../lib/routing.ts'

interface LinkCardProps {
  title: string
  children: ReactNode
  icon?: ReactNode
  tone?: 'neutral' | 'good' | 'warn'
  /** What follows the card, in its width. */
  below?: ReactNode
  /** True for what follows an action on this screen: its heading takes the focus, so that screen readers read it. */
  isResult?: boolean
}

const TONES = { neutral: 'bg-sunken text-muted', good: 'bg-good-soft text-good', warn: 'bg-warn-soft text-warn' }

/** The one card of a screen that a mail leads to, or that asks for a mail. */
export function LinkCard({ title, children, icon, tone = 'neutral', below, isResult = false }: LinkCardProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  usePageTitle(title)
  useEffect(() => {
    if (isResult) heading.current?.focus()
  }, [isResult])
  return (
    <div className="gutters pt-6 sm:pt-14">
      <div className="mx-auto max-w-[480px] rounded-lg bg-surface p-5 shadow-low ring ring-line sm:p-8">
        {icon && (
          <span aria-hidden className={cx('mb-4 grid size-12 place-items-center rounded-full', TONES[tone])}>
            {icon}
          </span>
        )}
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-bold text-balance outline-none">
          {title}
        </h1>
        {children}
      </div>
      {below && <div className="mx-auto mt-6 grid max-w-[480px] gap-6">{below}</div>}
    </div>
  )
}

/** A paragraph below the heading. */
export function LinkText({ children }: { children: ReactNode }) {
  return <p className="mt-2 text-pretty text-muted wrap-anywhere">{children}</p>
}

/** The buttons of the card, main one first; on phones each has the whole width. */
export function LinkActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap gap-2 max-sm:*:w-full">{children}</div>
}
