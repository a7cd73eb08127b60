import { Tooltip as RadixTooltip } from 'radix-ui'
import type { ReactNode } from 'react'

/** A short text at a control that is hovered or focused; the control needs an accessible name of its own. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  return (
    <RadixTooltip.Provider delayDuration={400}>
      <RadixTooltip.Root>
        <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
        <RadixTooltip.Portal>
          <RadixTooltip.Content
            sideOffset={6}
            className="z-60 rounded-sm bg-text px-2 py-1 text-xs font-medium text-bg animate-appear"
          >
            {text}
          </RadixTooltip.Content>
        </RadixTooltip.Portal>
      </RadixTooltip.Root>
    </RadixTooltip.Provider>
  )
}
