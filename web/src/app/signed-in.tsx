import { CircleUser, LogOut, Settings } from 'lucide-react'
import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import type { User } from '../api/types.ts'
import { setTheme, THEMES, useTheme } from '../components/theme.tsx'
import { IconButton } from '../components/ui/button.tsx'
import { loadMenus, Menu, MenuItem, MenuLabel, MenuSeparator } from '../components/ui/menu.tsx'
import { loadToaster } from '../components/ui/toast.tsx'
import { AccountCenter } from '../features/account/account-center.tsx'
import { PasswordDialog } from '../features/account/password-dialog.tsx'
import { openSettings } from '../features/account/settings-store.ts'
import { PrintCenter } from '../features/print-wizard/print-center.tsx'
import { UploadCenter } from '../features/upload/upload-center.tsx'
import { initialsOf, useLogout } from './session.ts'

/** What outlives the screens of a signed-in user. */
export function SignedInCenters() {
  useEffect(loadMenus, [])
  useEffect(loadToaster, [])
  // It may be needed when the server answers nothing else.
  useEffect(() => void import('./session-ended.tsx').catch(() => {}), [])
  return (
    <>
      <UploadCenter />
      <PrintCenter />
      <AccountCenter />
      <PasswordDialog />
    </>
  )
}

export function AvatarMenu({ user }: { user: User }) {
  const logout = useLogout()
  const navigate = useNavigate()
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="relative grid size-9 place-items-center rounded-full bg-linear-135 from-accent to-third text-sm font-bold text-on-accent"
        >
          <span aria-hidden>{initialsOf(user)}</span>
          <span className="sr-only">{`Account of ${user.username}`}</span>
        </button>
      }
    >
      <MenuLabel>{user.username}</MenuLabel>
      {!user.deletesAt && (
        <>
          <MenuItem icon={<CircleUser />} onSelect={() => void navigate('/profile')}>
            Profile
          </MenuItem>
          <MenuItem icon={<Settings />} onSelect={openSettings}>
            Settings
          </MenuItem>
        </>
      )}
      <MenuSeparator />
      <MenuItem icon={<LogOut />} onSelect={() => logout.mutate()}>
        Logout
      </MenuItem>
    </Menu>
  )
}

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
