import { Grid3x3, LayoutGrid, List } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'
import { useState } from 'react'
import type { AccountSettings } from '../../api/types.ts'
import { remember, remembered } from '../../lib/remember.ts'
import type { PhotoView } from '../grid/photo-layout.ts'
import { VIEW_CHOICE_KEY } from '../settings.ts'

type DefaultView = AccountSettings['view']

const VIEWS = [
  { value: 'grid', label: 'Grid view', Icon: LayoutGrid },
  { value: 'dense', label: 'Small pictures', Icon: Grid3x3 },
  { value: 'list', label: 'List view', Icon: List },
] as const

/** The view that was chosen in this browser, until the default of the settings changes; otherwise that default. */
export function useView(defaultView: DefaultView): [PhotoView, (view: PhotoView) => void] {
  const [choice, setChoice] = useState(() => remembered(VIEW_CHOICE_KEY))
  const view = chosenView(choice, defaultView)
  // Changing the default and back does not bring the choice back.
  if (choice !== null && view === null) setChoice(null)
  return [
    view ?? defaultView,
    (next) => {
      const made = `${next}:${defaultView}`
      setChoice(made)
      remember(VIEW_CHOICE_KEY, made)
    },
  ]
}

/**
 * The view by a choice like 'list:grid': the list, chosen while the grid was the default; null when there is none or the
 * default has changed. Choices that were stored before there was a default have no second part.
 */
export function chosenView(choice: string | null, defaultView: DefaultView): PhotoView | null {
  const [view, over = 'grid'] = choice?.split(':') ?? []
  if (over !== defaultView) return null
  return VIEWS.find(({ value }) => value === view)?.value ?? null
}

export function ViewToggle({ value, onChange }: { value: PhotoView; onChange: (view: PhotoView) => void }) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(view) => view && onChange(view as PhotoView)}
      aria-label="View"
      className="flex rounded-md bg-sunken p-1"
    >
      {VIEWS.map(({ value, label, Icon }) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          aria-label={label}
          title={label}
          className="grid size-11 place-items-center rounded-sm text-muted transition hover:text-text data-[state=on]:bg-surface data-[state=on]:text-text data-[state=on]:shadow-low sm:size-8 [&>svg]:size-4"
        >
          <Icon aria-hidden />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
