import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CloudUpload, ImagePlus, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { subscribeHints } from '../../api/live-events.ts'
import { activeUserQuery, userQuery } from '../../api/queries.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { useFileDrop } from '../../lib/files.ts'
import { countOf } from '../../lib/format.ts'
import { setLeaveGuard } from '../../lib/leave-guard.ts'
import { closeUpload, openUpload, showQueue, uploadDialogState, useUploadDialogState } from './dialog-state.ts'
import { droppedFiles } from './file-selection.ts'
import { UNSENT } from './queue/states.ts'
import { LogInToUpload } from './queue-view.tsx'
import { announcement, details, headline, overviewOf } from './texts.ts'
import { watchDevice } from './transport/device.ts'
import { addToForm, connectUploads, discardForm, queue, useQueueVersion } from './upload-actions.ts'
import { UploadDialog } from './upload-dialog.tsx'

/** The parts of the upload that outlive a screen: status bar, dialog, drop zone, and the guard against leaving the page. */
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

/**
 * A bar at the bottom of the window with the state of the upload, on every screen while its dialog is closed. It is the last
 * element of the shell, so that nothing moves when it comes and goes; `--upload-bar` lifts what else is at the bottom.
 */
function UploadStrip() {
  useQueueVersion()
  const { open } = useUploadDialogState()
  const { data: user } = useQuery(userQuery)
  const now = overviewOf(queue)
  const signedOut = !user
  if (open || (signedOut ? now.unsent === 0 : !now.active && now.problems === 0)) return null
  const line = headline(queue, now)
  const trouble = !now.active && now.problems > 0
  const Icon = trouble ? CircleAlert : CloudUpload
  const color = !trouble ? 'text-accent' : now.done > 0 ? 'text-muted' : 'text-danger'
  return (
    <section
      aria-label="Upload"
      data-upload-bar
      className="sticky bottom-0 z-20 order-last border-t border-line bg-surface pb-[env(safe-area-inset-bottom)]"
    >
      <div className="page flex h-14 items-center gap-3">
        <Icon aria-hidden className={cx('size-5 shrink-0', color)} />
        <div className="min-w-0 flex-1">
          <p role="status" className="sr-only">
            {announcement(queue, now)}
          </p>
          <p className="flex items-baseline gap-2 text-sm">
            <span className="line-clamp-2 font-semibold">{line}</span>
            {now.unsent > 0 && <span className="shrink-0 tabular-nums text-muted">{`${now.percent}%`}</span>}
            <span className="hidden min-w-0 truncate tabular-nums text-muted sm:block">{details(queue, now)}</span>
          </p>
          {now.active && (
            <div className="mt-1.5">
              <Progress value={now.percent} label={line} />
            </div>
          )}
        </div>
        {queue.hold === 'signed-out' ? (
          <LogInToUpload />
        ) : (
          <Button size="small" onClick={showQueue}>
            Show
          </Button>
        )}
        {trouble && <IconButton label="Dismiss" icon={<X />} className="-mr-2" onClick={() => queue.dismiss()} />}
      </div>
    </section>
  )
}

const SCREENS = /^\/(upload|folders)?$/
const FOLDER = /^\/folders\/(\d+)$/

/** Accepts photos dropped anywhere on the home screen, a folder's screen or the open dialog. */
function DropZone() {
  const { pathname } = useLocation()
  const over = useFileDrop({
    target: window,
    accepts: (event) => !event.defaultPrevented,
    onDrop: (data) => {
      const folder = FOLDER.exec(pathname)?.[1]
      if (!uploadDialogState().open && !folder && !SCREENS.test(pathname)) return
      const isForm = uploadDialogState().open && uploadDialogState().view === 'form'
      if (!isForm) openUpload(folder ? Number(folder) : null)
      addToForm(droppedFiles(data))
    },
  })
  if (!over) return null
  return (
    <div className="pointer-events-none fixed inset-3 z-70 grid place-content-center justify-items-center gap-2 rounded-lg border-2 border-dashed border-accent bg-accent-soft/90 text-lg font-semibold">
      <ImagePlus aria-hidden className="size-9 text-accent" />
      Drop photos or folders to upload
    </div>
  )
}

/** Connects the queue with the session, the live events and the browser's online state. */
function useConnections(): void {
  const client = useQueryClient()
  const { data: user } = useQuery(activeUserQuery)
  useEffect(() => connectUploads(client), [client])
  useEffect(() => {
    if (user && queue.signedIn(user.id)) discardForm()
    if (user === null) queue.signedOut()
  }, [user])
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

  const count = queue.store.photosIn(UNSENT).length
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
