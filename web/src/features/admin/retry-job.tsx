import { useQueryClient } from '@tanstack/react-query'
import { retryFailedJob } from '../../api/admin.ts'
import type { FailedJob } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage } from '../../lib/http.ts'
import { nameOfJob } from './job-texts.ts'
import { useAdminMutation } from './use-admin-mutation.ts'

export function RetryJobButton({ job, className }: { job: FailedJob; className?: string }) {
  const retry = useRetryJob(job)
  const name = nameOfJob(job)
  return (
    <Button
      ref={keepFocusInTab}
      size="small"
      className={className}
      aria-disabled={retry.isPending}
      aria-busy={retry.isPending}
      onClick={() => !retry.isPending && retry.mutate()}
    >
      Retry<span className="sr-only"> {name.charAt(0).toLowerCase() + name.slice(1)}</span>
    </Button>
  )
}

function useRetryJob(job: FailedJob) {
  const client = useQueryClient()
  const name = nameOfJob(job)
  return useAdminMutation({
    run: () => retryFailedJob(client, job),
    onSuccess: (isRetried) => {
      if (isRetried) toast({ title: 'Job retried', description: `${name} is processed again.` })
      else toast({ title: 'Nothing to retry', description: `${name} is no longer a failed job.`, tone: 'neutral' })
    },
    onError: (error) => toast({ title: 'Failed to retry the job', description: errorMessage(error), tone: 'danger' }),
  })
}

/** A job that is retried, here or by somebody else, leaves the list with its button: the focus then goes to the tab. */
function keepFocusInTab(button: HTMLButtonElement | null) {
  const tab = button?.closest<HTMLElement>('[role=tabpanel]')
  return () => {
    if (document.activeElement === button) tab?.focus({ preventScroll: true })
  }
}
