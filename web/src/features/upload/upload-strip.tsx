import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CloudUpload, X } from 'lucide-react'
import { userQuery } from '../../api/queries.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { showQueue, useUploadDialogState } from './dialog-state.ts'
import { announcement, details, headline, overviewOf } from './progress-texts.ts'
import { LogInToUpload } from './queue-view.tsx'
import { queue, useQueueVersion } from './upload-actions.ts'

/**
 * A bar at the bottom of the window with the state of the upload, on every screen while its dialog is closed. It is the last
 * element of the shell, so that nothing moves when it comes and goes; `--upload-bar` lifts what else is at the bottom.
 */
export function UploadStrip() {
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
      <div className="gutters flex h-14 items-center gap-3">
        <Icon aria-hidden className={cx('size-5 shrink-0', color)} />
        <div className="min-w-0 flex-1">
          <p role="status" className="sr-only">
            {announcement(queue, now)}
          </p>
          <p className="flex items-baseline gap-2 text-sm">
            <span className="line-clamp-2 font-semibold">{line}</span>
            {now.unsent > 0 && <span className="shrink-0 tabular-nums text-muted">{now.percent}%</span>}
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
