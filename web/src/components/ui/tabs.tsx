import { Tabs as RadixTabs } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { cx } from '../../lib/cx.ts'
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
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab may be out of view
  useEffect(() => {
    if (!list.current) return
    // Called at once, and when a count makes a tab wider. Not a layout effect: it would lay out the page once more.
    const observer = new ResizeObserver(() => showActiveTab(list.current))
    for (const element of [list.current, ...list.current.children]) observer.observe(element)
    return () => observer.disconnect()
  }, [value])
  // A click is a press and then a focus, and each of them chooses the tab as long as the value is not the new one.
  const chosen = useRef<string>(null)
  function choose(next: string): void {
    if (next === chosen.current) return
    chosen.current = next
    setTimeout(() => {
      chosen.current = null
    })
    onValueChange(next)
  }

  return (
    <RadixTabs.Root value={value} onValueChange={choose}>
      <RadixTabs.List
        ref={list}
        aria-label={label}
        className="-mx-2 flex gap-1 overflow-x-auto shadow-[inset_0_-1px_0_var(--line)]"
      >
        {tabs.map((tab) => (
          <RadixTabs.Trigger
            key={tab.value}
            value={tab.value}
            className="flex min-h-11 shrink-0 items-center gap-1.5 rounded-t-sm border-b-2 px-2 border-transparent py-2 font-semibold text-muted transition hover:text-text focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-text"
          >
            <span>{tab.label}</span>
            {tab.count !== undefined && (
              <span className="text-sm font-normal tabular-nums text-muted">{formatNumber(tab.count)}</span>
            )}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {children}
    </RadixTabs.Root>
  )
}

/** Scrolls a row of tabs that is wider than a phone, and never the page. */
function showActiveTab(list: HTMLElement | null): void {
  const active = list?.querySelector<HTMLElement>('[data-state=active]')
  if (!list || !active) return
  const row = list.getBoundingClientRect()
  const tab = active.getBoundingClientRect()
  if (tab.left < row.left) list.scrollLeft -= row.left - tab.left
  else if (tab.right > row.right) list.scrollLeft += tab.right - row.right
}

interface TabPanelProps {
  value: string
  /** On phones it begins right below the tabs: a toolbar has space of its own. */
  flush?: boolean
  children: ReactNode
}

export function TabPanel({ value, flush = false, children }: TabPanelProps) {
  return (
    <RadixTabs.Content value={value} className={cx(flush ? 'pt-1' : 'pt-4', 'sm:pt-5')}>
      {children}
    </RadixTabs.Content>
  )
}
