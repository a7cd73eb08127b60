import { Monitor, Moon, Sun } from 'lucide-react'
import { useId } from 'react'
import { cx } from '../lib/cx.ts'
import { remember, remembered } from '../lib/remember.ts'
import { createStore, useStore } from '../lib/store.ts'

/** The themes, with their names in the bar and in the menu. */
export const THEMES = [
  { value: 'light', label: 'Light', menuLabel: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', menuLabel: 'Dark', Icon: Moon },
  { value: 'system', label: 'System', menuLabel: 'Auto', Icon: Monitor },
] as const

/** Light, dark or the system's theme: icons in the bar, words in the side menu and in the settings. */
export function ThemeToggle({ showLabels = false }: { showLabels?: boolean }) {
  const name = useId()
  const chosen = useTheme()
  return (
    <div
      role="radiogroup"
      aria-label="Theme"
      className={cx('flex rounded-full bg-sunken p-0.5', showLabels && 'w-full')}
    >
      {THEMES.map(({ value, label, menuLabel, Icon }) => (
        <label
          key={value}
          title={showLabels ? undefined : label}
          className={cx(
            'relative flex items-center justify-center gap-2 rounded-full text-muted transition hover:text-text has-checked:bg-surface has-checked:text-text has-checked:shadow-low has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent [&>svg]:size-3.5',
            showLabels ? 'h-11 flex-1 text-sm font-semibold' : 'size-8',
          )}
        >
          <input
            type="radio"
            name={name}
            checked={value === chosen}
            onChange={() => setTheme(value)}
            aria-label={showLabels ? undefined : label}
            className="absolute inset-0 cursor-pointer appearance-none rounded-full outline-none"
          />
          <Icon aria-hidden />
          {showLabels && <span>{menuLabel}</span>}
        </label>
      ))}
    </div>
  )
}

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'theme'
const systemDark = matchMedia('(prefers-color-scheme: dark)')
const choice = createStore(storedTheme())

function storedTheme(): Theme {
  const stored = remembered(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function apply(next: Theme): void {
  const dark = next === 'dark' || (next === 'system' && systemDark.matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  choice.set(next)
}

systemDark.addEventListener('change', () => apply(choice.get()))
addEventListener('storage', (event) => {
  if (event.key === KEY) apply(storedTheme())
})

/** Sets the theme for this browser, in all its tabs. */
export function setTheme(next: Theme): void {
  remember(KEY, next)
  apply(next)
}

/** The chosen theme; `system` by default. */
export function useTheme(): Theme {
  return useStore(choice)
}
