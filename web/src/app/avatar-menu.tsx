import { LogOut } from 'lucide-react'
import type { User } from '../api/types.ts'
import { Menu, MenuItem, MenuLabel } from '../components/ui/menu.tsx'
import { initialsOf, useLogout } from './session.ts'

export default function AvatarMenu({ user }: { user: User }) {
  const logout = useLogout()
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="relative grid size-9 place-items-center rounded-full bg-linear-135 from-accent to-third text-sm font-bold text-on-accent"
        >
          {initialsOf(user)}
          <span className="sr-only">Account of {user.username}</span>
        </button>
      }
    >
      <MenuLabel>{user.username}</MenuLabel>
      <MenuItem icon={<LogOut />} onSelect={() => logout.mutate()}>
        Logout
      </MenuItem>
    </Menu>
  )
}
