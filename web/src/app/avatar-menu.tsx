import { CircleUser, LogOut, Settings } from 'lucide-react'
import { useNavigate } from 'react-router-dom'
import type { User } from '../api/types.ts'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../components/ui/menu.tsx'
import { openSettings } from '../features/account/settings-store.ts'
import { initialsOf, useLogout } from './session.ts'

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
          <span className="sr-only">Account of {user.username}</span>
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
