import { Tabs as RadixTabs } from 'radix-ui'
import type { ReactNode } from 'react'
import { formatNumber } from '../../lib/format.ts'

interface TabsProps {
  value: string
  onValueChange: (value: string) => void
  /** What the tabs choose between, for screen readers. */
  label: string
  tabs: { value: string; label: string; count?: number }[]
  /** A TabPanel for each tab. */
  children: ReactNode
}

export function Tabs({ value, onValueChange, label, tabs, children }: TabsProps) {
  return (
    <RadixTabs.Root value={value} onValueChange={onValueChange}>
      <RadixTabs.List
        aria-label={label}
        className="-mx-2 flex gap-1 overflow-x-auto shadow-[inset_0_-1px_0_var(--line)]"
      >
        {tabs.map((tab) => (
          <RadixTabs.Trigger
            key={tab.value}
            value={tab.value}
            className="flex min-h-11 shrink-0 items-center gap-1.5 rounded-t-sm border-b-2 px-2 border-transparent py-2 font-semibold text-muted transition hover:text-text focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-text"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="text-sm font-normal text-muted">{formatNumber(tab.count)}</span>
            )}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {children}
    </RadixTabs.Root>
  )
}

export function TabPanel({ value, children }: { value: string; children: ReactNode }) {
  return (
    <RadixTabs.Content value={value} className="pt-5">
      {children}
    </RadixTabs.Content>
  )
}
