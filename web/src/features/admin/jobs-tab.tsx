import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { failedJobsQuery, retryFailedJob } from '../../api/admin.ts'
import type { FailedJob } from '../../api/types.ts'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { ActionButton, ColumnHeading, Loaded, RowsSkeleton, useAdminMutation, useWideScreen } from './admin-parts.tsx'

const KINDS: Record<FailedJob['queue'], string> = {
  photos: 'Photo',
  'print-images': 'Print image',
  exports: 'Export',
}
/** So many digits of the random ids of print images and exports tell them apart; those of photos are numbers. */
const SHORT_ID = 8

/** The jobs whose attempts all failed, the latest first. */
export function JobsTab() {
  const List = useWideScreen() ? JobTable : JobList
  return (
    <>
      <p className="mb-4 max-w-3xl text-pretty text-muted">
        Photos, print images and exports whose attempts all failed. The originals are safe. Retry a job when the cause
        is gone; if it fails again, it comes back.
      </p>
      <Loaded
        query={useQuery(failedJobsQuery)}
        what="failed jobs"
        skeleton={<RowsSkeleton rows={3} />}
        empty={
          <EmptyState
            icon={<CircleCheckBig />}
            title="No failed jobs"
            description="No photo, print image or export has used up its attempts."
          />
        }
      >
        {(jobs) => <List jobs={jobs} />}
      </Loaded>
    </>
  )
}

function JobTable({ jobs }: { jobs: readonly FailedJob[] }) {
  return (
    <div className="overflow-clip rounded-lg bg-surface shadow-low ring ring-line">
      <table aria-label="Failed jobs" className="w-full table-fixed border-collapse">
        <thead>
          <tr className="h-10 border-b border-line text-left text-sm text-muted">
            <ColumnHeading className="w-48">What</ColumnHeading>
            <ColumnHeading className="w-29">User</ColumnHeading>
            <ColumnHeading>Reason</ColumnHeading>
            <ColumnHeading className="w-34">Failed</ColumnHeading>
            <ColumnHeading className="w-24 text-right">Starts</ColumnHeading>
            <td className="w-26" />
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {jobs.map((job) => (
            <tr key={job.id} className="align-baseline text-sm">
              <th scope="row" className="px-3 py-3 pl-5 text-left text-base font-semibold" title={job.id}>
                {nameOfJob(job)}
              </th>
              <td className="px-3 py-3">{`User ${job.userId}`}</td>
              <td className="px-3 py-3 wrap-anywhere">{job.reason}</td>
              <td className="px-3 py-3">
                <RelativeTime at={job.failedAt} />
              </td>
              <td className="px-3 py-3 text-right tabular-nums">{formatNumber(job.starts)}</td>
              <td className="py-3 pr-4 text-right">
                <RetryJobButton job={job} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function JobList({ jobs }: { jobs: readonly FailedJob[] }) {
  return (
    <ul aria-label="Failed jobs" className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
      {jobs.map((job) => (
        <li key={job.id} className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 p-4 sm:px-5">
          <div className="min-w-0 flex-1 basis-72">
            <h2 className="font-semibold">{nameOfJob(job)}</h2>
            <p className="text-sm text-muted">
              <span>{`User ${job.userId}, failed`}</span> <RelativeTime at={job.failedAt} />
              <span>{`, started ${countOf(job.starts, 'time')}`}</span>
            </p>
            <p className="mt-1 text-sm wrap-anywhere">{job.reason}</p>
          </div>
          <RetryJobButton job={job} className="max-sm:w-full" />
        </li>
      ))}
    </ul>
  )
}

function RetryJobButton({ job, className }: { job: FailedJob; className?: string }) {
  const client = useQueryClient()
  const name = nameOfJob(job)
  const retry = useAdminMutation({
    run: () => retryFailedJob(client, job),
    onSuccess: (isRetried) => {
      if (isRetried) toast({ title: 'Job retried', description: `${name} is processed again.` })
      else toast({ title: 'Nothing to retry', description: `${name} is no longer a failed job.`, tone: 'neutral' })
    },
    onError: (error) => toastFailure('Failed to retry the job', error),
  })
  return (
    <ActionButton ref={keepFocusInTab} className={className} busy={retry.isPending} onClick={() => retry.mutate()}>
      Retry<span className="sr-only">{` ${name.charAt(0).toLowerCase()}${name.slice(1)}`}</span>
    </ActionButton>
  )
}

/** A job that is retried, here or by somebody else, leaves the list with its button: the focus then goes to the tab. */
function keepFocusInTab(button: HTMLButtonElement | null) {
  const tab = button?.closest<HTMLElement>('[role=tabpanel]')
  return () => {
    if (document.activeElement === button) tab?.focus({ preventScroll: true })
  }
}

/** 'Photo 12' for the job `photo-12-0`. */
export function nameOfJob({ queue, id }: Pick<FailedJob, 'queue' | 'id'>): string {
  const subject = id.split('-').at(-2) ?? ''
  return `${KINDS[queue]} ${queue === 'photos' ? subject : subject.slice(0, SHORT_ID)}`
}
