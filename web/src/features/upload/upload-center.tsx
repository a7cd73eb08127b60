import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { subscribeHints } from '../../api/live-events.ts'
import { activeUserQuery, userQuery } from '../../api/queries.ts'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { countOf } from '../../lib/format.ts'
import { setLeaveGuard } from '../../lib/leave-guard.ts'
import { closeUpload, showQueue } from './dialog-state.ts'
import { DropZone } from './drop-zone.tsx'
import { tellOtherTabs } from './other-tabs.ts'
import { UNSENT } from './queue/states.ts'
import { connectUploads, queue, useQueueVersion } from './upload-actions.ts'
import { UploadDialog } from './upload-dialog.tsx'
import { UploadStrip } from './upload-strip.tsx'
import { watchDevice } from './watch-device.ts'

/**
 * The parts of the upload that outlive a screen: status bar, dialog, drop zone, and the guard against leaving the page.
 */
export function UploadCenter() {
  useQueueVersion()
  useConnections()
  useCloseOnNavigation()
  useStayAwake(queue.hasUnsent && queue.hold !== 'signed-out')
  const { data: user } = useQuery(userQuery)
  // The files wait: the user may keep the account.
  if (user?.deletesAt) return null
  return (
    <>
      <UploadStrip />
      <UploadDialog />
      <DropZone />
      <LeaveConfirmation />
    </>
  )
}

/** Connects the queue with the session, the live events and the browser's online state. */
function useConnections(): void {
  const client = useQueryClient()
  const { data: user } = useQuery(activeUserQuery)
  useEffect(() => connectUploads(client), [client])
  useEffect(() => {
    if (user) queue.signedIn(user.id)
    if (user === null) queue.signedOut()
  }, [user])
  useEffect(() => tellOtherTabs(() => queue.sessions), [])
  useEffect(() => subscribeHints(({ type, id }) => type.startsWith('photo.') && queue.hint(id)), [])
  useEffect(() => watchDevice(queue), [])
}

/** Navigation closes the dialog and keeps its form. After signing in the dialog shows the progress. */
function useCloseOnNavigation(): void {
  const { pathname } = useLocation()
  const { data: user } = useQuery(activeUserQuery)
  const before = useRef(pathname)
  const navigated = useEffectEvent(() => {
    // The dialog may be open already when this code has been loaded.
    if (before.current === pathname) return
    const fromSignIn = before.current === '/auth' && Boolean(user)
    before.current = pathname
    if (fromSignIn && queue.isActive) showQueue()
    else if (pathname !== '/upload') closeUpload()
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another screen is an arrival
  useEffect(() => navigated(), [pathname])
}

/** While files are unsent, the browser asks before leaving the page and the screen stays on. */
function useStayAwake(active: boolean): void {
  useEffect(() => {
    if (!active) return
    let lock: WakeLockSentinel | undefined
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    const wake = async () => {
      // Rejected on low battery, and released whenever the page is hidden.
      if (document.visibilityState === 'visible') lock = await navigator.wakeLock?.request().catch(() => undefined)
    }
    void wake()
    addEventListener('beforeunload', warn)
    document.addEventListener('visibilitychange', wake)
    return () => {
      removeEventListener('beforeunload', warn)
      document.removeEventListener('visibilitychange', wake)
      void lock?.release()
    }
  }, [active])
}

/** Signing out would end the upload: asks for confirmation. */
function LeaveConfirmation() {
  const [resolveLeave, setResolveLeave] = useState<((leave: boolean) => void) | null>(null)
  useEffect(
    () =>
      setLeaveGuard(() => {
        if (!queue.hasUnsent || queue.hold === 'signed-out') return Promise.resolve(true)
        return new Promise((resolve) => setResolveLeave(() => resolve))
      }),
    [],
  )

  function decide(leave: boolean): void {
    if (leave) queue.cancelAll({ keep: true })
    resolveLeave?.(leave)
    setResolveLeave(null)
  }

  const count = queue.store.count(UNSENT)
  return (
    <ConfirmDialog
      open={resolveLeave !== null}
      onOpenChange={(open) => !open && decide(false)}
      title="Log out and cancel the upload?"
      description={`${countOf(count, 'photo')} ${count === 1 ? 'has' : 'have'} not been sent yet. What was sent is kept; choosing the same files again sends only the rest.`}
      confirmLabel="Log out"
      danger
      onConfirm={() => decide(true)}
    />
  )
}
