import { THEMES } from '../components/theme-toggle.tsx'
import { IconButton } from '../components/ui/button.tsx'
import { Menu, MenuItem } from '../components/ui/menu.tsx'
import { setTheme, useTheme } from '../lib/theme.ts'

/** The theme toggle as one button with a menu, where the bar has no room for three. */
export function ThemeMenu() {
  const theme = useTheme()
  const chosen = THEMES.find(({ value }) => value === theme) ?? THEMES[0]
  return (
    <Menu trigger={<IconButton label={`Theme: ${chosen.label}`} icon={<chosen.Icon aria-hidden />} />}>
      {THEMES.map(({ value, label, Icon }) => (
        <MenuItem key={value} icon={<Icon aria-hidden />} checked={value === theme} onSelect={() => setTheme(value)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  )
}
