import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { activeUserQuery } from '../../api/queries.ts'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { setLeaveGuard } from '../../lib/leave-guard.ts'
import { useStore } from '../../lib/store.ts'
import { discardEdits, hasEdits, profileDraft } from './profile-draft.ts'

/**
 * Edits of the profile that were not saved stay when its screen is left, which a toast says. Closing the page and
 * signing out would lose them: both ask first.
 */
export function ProfileGuard() {
  const { data: user } = useQuery(activeUserQuery)
  const edited = hasEdits(user, useStore(profileDraft))
  useReminder(edited)
  useEffect(() => {
    if (!edited) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [edited])
  return edited ? <LogoutConfirmation /> : null
}

function useReminder(edited: boolean): void {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const before = useRef(pathname)
  const navigated = useEffectEvent(() => {
    const left = before.current === '/profile' && pathname !== '/profile'
    before.current = pathname
    if (!left || !edited) return
    toast({
      title: 'Profile not saved',
      description: 'Your changes are kept while this page is open.',
      tone: 'danger',
      action: { label: 'Back to profile', onSelect: () => void navigate('/profile') },
    })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another screen is an arrival
  useEffect(() => navigated(), [pathname])
}

function LogoutConfirmation() {
  const [resolveLeave, setResolveLeave] = useState<((leave: boolean) => void) | null>(null)
  useEffect(() => setLeaveGuard(() => new Promise((resolve) => setResolveLeave(() => resolve))), [])

  function decide(leave: boolean): void {
    resolveLeave?.(leave)
    setResolveLeave(null)
    if (leave) discardEdits()
  }

  return (
    <ConfirmDialog
      open={resolveLeave !== null}
      onOpenChange={(open) => !open && decide(false)}
      title="Log out without saving?"
      description="Your profile has changes that were not saved. Logging out discards them."
      confirmLabel="Log out"
      danger
      onConfirm={() => decide(true)}
    />
  )
}
