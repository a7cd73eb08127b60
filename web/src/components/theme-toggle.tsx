import { Monitor, Moon, Sun } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'
import { cx } from '../lib/cx.ts'
import { setTheme, type Theme, useTheme } from '../lib/theme.ts'

/** The themes, with their names in the bar and in the menu. */
export const THEMES = [
  { value: 'light', label: 'Light', menuLabel: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', menuLabel: 'Dark', Icon: Moon },
  { value: 'system', label: 'System', menuLabel: 'Auto', Icon: Monitor },
] as const

/** Light, dark or the system's theme: icons in the bar, words in the side menu and in the settings. */
export function ThemeToggle({ showLabels = false }: { showLabels?: boolean }) {
  return (
    <ToggleGroup.Root
      type="single"
      value={useTheme()}
      onValueChange={(value) => value && setTheme(value as Theme)}
      aria-label="Theme"
      className={cx('flex rounded-full bg-sunken p-0.5', showLabels && 'w-full')}
    >
      {THEMES.map(({ value, label, menuLabel, Icon }) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          aria-label={showLabels ? undefined : label}
          title={showLabels ? undefined : label}
          className={cx(
            'flex items-center justify-center gap-2 rounded-full text-muted transition hover:text-text data-[state=on]:bg-surface data-[state=on]:text-text data-[state=on]:shadow-low [&>svg]:size-3.5',
            showLabels ? 'h-11 flex-1 text-sm font-semibold' : 'size-8',
          )}
        >
          <Icon aria-hidden />
          {showLabels && menuLabel}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
