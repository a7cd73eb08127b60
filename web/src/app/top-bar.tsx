import { Link, useLocation } from 'react-router-dom'
import type { User } from '../api/types.ts'
import { lazyComponent } from '../components/lazy.tsx'
import { ThemeToggle } from '../components/theme.tsx'
import { Button } from '../components/ui/button.tsx'
import { cx } from '../lib/cx.ts'
import { isOpen, linksOf } from './navigation.ts'
import { SideMenu } from './side-menu.tsx'

// Visitors have neither: their bar has no links and room for the whole toggle.
const AvatarMenu = lazyComponent(() => import('./signed-in.tsx').then((code) => code.AvatarMenu), {
  afterFirstScreen: true,
})
const ThemeMenu = lazyComponent(() => import('./signed-in.tsx').then((code) => code.ThemeMenu), {
  afterFirstScreen: true,
})

export function TopBar({ user }: { user: User | null }) {
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface">
      <div className="page flex h-[60px] items-center gap-4 md:gap-6">
        <Link to="/" className="flex items-center gap-2.5 rounded-sm text-lg font-bold tracking-tight">
          <img src="/icon.svg" alt="" width={28} height={28} />
          Skyfolio
        </Link>
        {user && !user.deletesAt && <Links user={user} />}
        <div className="ml-auto flex items-center gap-1 md:gap-3">
          <div className={cx('hidden', user ? 'md:block' : 'sm:block')}>
            <ThemeToggle />
          </div>
          {user && (
            <div className="hidden size-9 sm:max-md:block">
              <ThemeMenu />
            </div>
          )}
          {user ? (
            <div className="hidden size-9 sm:block">
              <AvatarMenu user={user} />
            </div>
          ) : (
            <Button asChild>
              <Link to="/auth">Login</Link>
            </Button>
          )}
          <SideMenu user={user} />
        </div>
      </div>
    </header>
  )
}

function Links({ user }: { user: User }) {
  const { pathname } = useLocation()
  return (
    <nav aria-label="Main" className="hidden gap-1 sm:flex">
      {linksOf(user).map((link) => (
        <Link
          key={link.to}
          to={link.to}
          aria-current={isOpen(link, pathname) ? 'page' : undefined}
          className={cx(
            'rounded-sm px-2 py-1.5 font-medium whitespace-nowrap transition md:px-3',
            isOpen(link, pathname) ? 'bg-sunken text-text' : 'text-muted hover:text-text',
          )}
        >
          {link.label}
        </Link>
      ))}
    </nav>
  )
}
