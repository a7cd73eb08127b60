import { LogIn, LogOut, Settings, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { Link, useLocation } from 'react-router-dom'
import type { User } from '../api/types.ts'
import { ThemeToggle } from '../components/theme.tsx'
import { Button, IconButton } from '../components/ui/button.tsx'
import { OVERLAY, useFocusReturn } from '../components/ui/dialog.tsx'
import { openSettings } from '../features/account/settings-store.ts'
import { cx } from '../lib/cx.ts'
import { isOpen, linksOf } from './navigation.ts'
import { useLogout } from './session.ts'

interface SidePanelProps {
  user: User | null
  onClose: () => void
}

/** The open side menu: links, theme, sign in or out. */
export function SidePanel({ user, onClose }: SidePanelProps) {
  const returnFocus = useFocusReturn(true)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="fixed inset-y-0 right-0 z-50 flex w-72 flex-col gap-6 bg-surface p-4 pb-[max(16px,env(safe-area-inset-bottom))] shadow-high outline-none animate-drawer sm:hidden"
        >
          <div className="flex items-center justify-between">
            <Dialog.Title className="text-lg font-semibold">{user?.username ?? 'Menu'}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label="Close" icon={<X />} className="-mr-2" />
            </Dialog.Close>
          </div>
          {user && !user.deletesAt && <SideLinks user={user} onChoose={onClose} />}
          <div className="mt-auto grid gap-4">
            <ThemeToggle showLabels />
            {user && !user.deletesAt && <SettingsButton onChoose={onClose} />}
            {user ? <LogoutButton onDone={onClose} /> : <LoginLink onChoose={onClose} />}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function SideLinks({ user, onChoose }: { user: User; onChoose: () => void }) {
  const { pathname } = useLocation()
  return (
    <nav aria-label="Main" className="grid gap-1">
      {linksOf(user).map((link) => (
        <Link
          key={link.to}
          to={link.to}
          onClick={onChoose}
          aria-current={isOpen(link, pathname) ? 'page' : undefined}
          className={cx(
            'flex min-h-11 items-center rounded-md px-3 font-medium',
            isOpen(link, pathname) ? 'bg-sunken text-text' : 'text-muted',
          )}
        >
          {link.label}
        </Link>
      ))}
    </nav>
  )
}

function SettingsButton({ onChoose }: { onChoose: () => void }) {
  return (
    <Button
      onClick={() => {
        onChoose()
        openSettings()
      }}
    >
      <Settings aria-hidden /> Settings
    </Button>
  )
}

function LogoutButton({ onDone }: { onDone: () => void }) {
  const logout = useLogout()
  return (
    <Button busy={logout.isPending} onClick={() => logout.mutate(undefined, { onSettled: onDone })}>
      <LogOut aria-hidden /> Logout
    </Button>
  )
}

function LoginLink({ onChoose }: { onChoose: () => void }) {
  return (
    <Button asChild variant="primary">
      <Link to="/auth" onClick={onChoose}>
        <LogIn aria-hidden /> Login / Register
      </Link>
    </Button>
  )
}
