import { LayoutGrid, List } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'
import { useState } from 'react'

export type View = 'grid' | 'list'

const KEY = 'gallery-view'
const VIEWS = [
  { value: 'grid', label: 'Grid view', Icon: LayoutGrid },
  { value: 'list', label: 'List view', Icon: List },
] as const

/** The view chosen last in this browser. */
export function useView(): [View, (view: View) => void] {
  const [view, setView] = useState(storedView)
  return [
    view,
    (next) => {
      setView(next)
      try {
        localStorage.setItem(KEY, next)
      } catch {
        // Storage is blocked: the choice applies to this page only.
      }
    },
  ]
}

function storedView(): View {
  try {
    return localStorage.getItem(KEY) === 'list' ? 'list' : 'grid'
  } catch {
    return 'grid' // Storage is blocked.
  }
}

export function ViewToggle({ value, onChange }: { value: View; onChange: (view: View) => void }) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(view) => view && onChange(view as View)}
      aria-label="View"
      className="flex rounded-md bg-sunken p-1"
    >
      {VIEWS.map(({ value, label, Icon }) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          aria-label={label}
          title={label}
          className="grid size-9 place-items-center rounded-sm text-muted transition hover:text-text data-[state=on]:bg-surface data-[state=on]:text-text data-[state=on]:shadow-low sm:size-8 [&>svg]:size-4"
        >
          <Icon aria-hidden />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
