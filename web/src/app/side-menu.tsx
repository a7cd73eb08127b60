import { LogIn, LogOut, MenuIcon, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import type { User } from '../api/types.ts'
import { Button, IconButton } from '../components/ui/button.tsx'
import { OVERLAY } from '../components/ui/dialog.tsx'
import { cx } from '../lib/cx.ts'
import { isActive, LINKS } from './navigation.ts'
import { useLogout } from './session.ts'
import { ThemeToggle } from './theme-toggle.tsx'

/** The menu of screens under 640 px: links, theme, sign in or out. */
export function SideMenu({ user }: { user: User | null }) {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <IconButton label="Menu" icon={<MenuIcon />} className="-mr-2 sm:hidden" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 right-0 z-50 flex w-72 flex-col gap-6 bg-surface p-4 pb-[max(16px,env(safe-area-inset-bottom))] shadow-high outline-none animate-drawer sm:hidden"
        >
          <div className="flex items-center justify-between">
            <Dialog.Title className="text-lg font-semibold">{user?.username ?? 'Menu'}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label="Close" icon={<X />} className="-mr-2" />
            </Dialog.Close>
          </div>
          {user && <SideLinks onChoose={close} />}
          <div className="mt-auto grid gap-4">
            <ThemeToggle words />
            {user ? <LogoutButton onDone={close} /> : <LoginLink onChoose={close} />}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function SideLinks({ onChoose }: { onChoose: () => void }) {
  const { pathname } = useLocation()
  return (
    <nav aria-label="Main" className="grid gap-1">
      {LINKS.map((link) => (
        <Link
          key={link.to}
          to={link.to}
          onClick={onChoose}
          aria-current={isActive(link, pathname) ? 'page' : undefined}
          className={cx(
            'flex min-h-11 items-center rounded-md px-3 font-medium',
            isActive(link, pathname) ? 'bg-sunken text-text' : 'text-muted',
          )}
        >
          {link.label}
        </Link>
      ))}
    </nav>
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
