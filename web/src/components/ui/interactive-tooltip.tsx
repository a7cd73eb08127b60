import { Tooltip as RadixTooltip } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { cx } from '../../lib/cx.ts'

export interface TooltipProps {
  /** The explained content. */
  children: ReactNode
  text: string
  className?: string
}

/** The tooltip with its behaviour. */
export function InteractiveTooltip({ children, text, className }: TooltipProps) {
  const [open, setOpen] = useState(false)
  return (
    <RadixTooltip.Provider delayDuration={200}>
      <RadixTooltip.Root open={open} onOpenChange={setOpen}>
        <RadixTooltip.Trigger
          type="button"
          onClick={(event) => {
            event.preventDefault() // Otherwise a tap would close what it opens.
            setOpen(true)
          }}
          className={cx(
            'relative rounded-sm text-left after:absolute after:-inset-x-1 after:-inset-y-3 sm:after:-inset-y-1',
            className,
          )}
        >
          {children}
        </RadixTooltip.Trigger>
        {/* Inside the screen's landmark, so that screen readers find it. */}
        <RadixTooltip.Portal container={document.getElementById('main')}>
          <RadixTooltip.Content
            sideOffset={6}
            collisionPadding={12}
            className="z-50 max-w-72 rounded-md bg-text px-3 py-2 text-sm text-pretty text-bg shadow-high animate-appear"
          >
            <span>{text}</span>
          </RadixTooltip.Content>
        </RadixTooltip.Portal>
      </RadixTooltip.Root>
    </RadixTooltip.Provider>
  )
}
