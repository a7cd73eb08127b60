import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link, Outlet, useLocation, useNavigationType } from 'react-router-dom'
import { userQuery } from '../api/queries.ts'
import { lazyComponent } from '../components/lazy.tsx'
import { isWithoutFrame } from './screens.ts'
import { TopBar } from './top-bar.tsx'

// Visitors never upload or order and have no settings: the code is loaded for signed-in users.
const SignedInCenters = lazyComponent(() => import('./signed-in.tsx').then((code) => code.SignedInCenters), {
  Loading: IgnoreDrops,
  afterFirstScreen: true,
})

/** The frame of every screen: skip link, top bar, the screen, footer. */
export function Shell() {
  const { data: user } = useQuery(userQuery)
  const main = useFocusOnNavigation()
  const { pathname } = useLocation()
  // Stays mounted when the session ends: unsent files and an unfinished order wait until the user is back.
  const wasSignedIn = useRef(false)
  wasSignedIn.current ||= Boolean(user)
  const isFramed = !isWithoutFrame(pathname)
  useFirstForm(Boolean(user) && !user?.deletesAt)
  return (
    <div data-home={/^\/(upload|folders)?$/.test(pathname) || undefined} className="flex min-h-dvh flex-col">
      {isFramed && (
        <>
          <a
            href="#main"
            className="fixed top-2 left-2 z-60 -translate-y-20 rounded-md bg-surface px-4 py-2 font-semibold text-accent shadow-high focus:translate-y-0"
          >
            Skip to content
          </a>
          <TopBar user={user ?? null} />
        </>
      )}
      {wasSignedIn.current && <SignedInCenters />}
      <main ref={main} id="main" tabIndex={-1} className="flex-1 outline-none">
        <Outlet />
      </main>
      {isFramed && (
        <footer className="[body:has([data-loads])_&]:invisible mt-16 border-t border-line pb-[var(--docked,0px)] text-sm text-muted">
          <div className="page flex flex-wrap items-center gap-x-6 gap-y-1 py-6">
            <p>{`© ${new Date().getFullYear()} Skyfolio. All rights reserved.`}</p>
            <FooterLink to="/terms">Terms of Use</FooterLink>
            <FooterLink to="/privacy">Privacy Policy</FooterLink>
            <FooterLink to="/api-docs">API</FooterLink>
          </div>
        </footer>
      )}
    </div>
  )
}

/** On /upload the form is the first screen, not the photos behind it. */
function useFirstForm(isActive: boolean): void {
  const { pathname } = useLocation()
  useEffect(() => {
    if (isActive && pathname === '/upload') SignedInCenters.need()
  }, [isActive, pathname])
}

/** Until the upload is loaded: the browser would replace the page by a dropped photo. */
function IgnoreDrops() {
  useEffect(() => {
    const ignore = (event: DragEvent) => event.preventDefault()
    addEventListener('dragover', ignore)
    addEventListener('drop', ignore)
    return () => {
      removeEventListener('dragover', ignore)
      removeEventListener('drop', ignore)
    }
  }, [])
  return null
}

function FooterLink(props: { to: string; children: string }) {
  return <Link {...props} className="inline-flex min-h-11 items-center hover:text-text hover:underline sm:min-h-0" />
}

/**
 * After navigation to another screen: focuses it, so that a screen reader starts there and not at the link, and scrolls
 * to its top. Going back, the browser restores the scroll position itself.
 */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const navigation = useNavigationType()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
    if (navigation !== 'POP') scrollTo(0, 0)
  }, [pathname, navigation])
  return main
}
