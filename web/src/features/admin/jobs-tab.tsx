import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { failedJobsQuery } from '../../api/admin.ts'
import type { FailedJob } from '../../api/types.ts'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { Failure } from './failures.tsx'
import { nameOfJob } from './job-texts.ts'
import { RetryJobButton } from './retry-job.tsx'
import { useWideScreen } from './use-wide-screen.ts'

/** The jobs whose attempts all failed, the latest first. */
export function JobsTab() {
  const { data: jobs, error, refetch } = useQuery(failedJobsQuery)
  return (
    <>
      <p className="mb-4 max-w-3xl text-pretty text-muted">
        Photos, print images and exports whose attempts all failed. The originals are safe. Retry a job when the cause
        is gone; if it fails again, it comes back.
      </p>
      {jobs ? (
        <Jobs jobs={jobs} />
      ) : error ? (
        <Failure title="The failed jobs could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <JobsSkeleton />
      )}
    </>
  )
}

interface JobsProps {
  jobs: readonly FailedJob[]
}

function Jobs({ jobs }: JobsProps) {
  const wide = useWideScreen()
  if (jobs.length === 0) {
    const description = 'No photo, print image or export has used up its attempts.'
    return <EmptyState icon={<CircleCheckBig />} title="No failed jobs" description={description} />
  }
  return wide ? <JobTable jobs={jobs} /> : <JobList jobs={jobs} />
}

function JobTable({ jobs }: JobsProps) {
  return (
    <div className="overflow-clip rounded-lg bg-surface shadow-low ring ring-line">
      <table aria-label="Failed jobs" className="w-full table-fixed border-collapse">
        <thead>
          <tr className="h-10 border-b border-line text-left text-sm text-muted">
            <Heading className="w-48">What</Heading>
            <Heading className="w-29">User</Heading>
            <Heading>Reason</Heading>
            <Heading className="w-34">Failed</Heading>
            <Heading className="w-24 text-right">Starts</Heading>
            <td className="w-26" />
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Heading({ children, className }: { children: string; className?: string }) {
  return (
    <th scope="col" className={cx('px-3 font-semibold first:pl-5', className)}>
      {children}
    </th>
  )
}

function JobRow({ job }: { job: FailedJob }) {
  return (
    <tr className="align-baseline text-sm">
      <th scope="row" className="px-3 py-3 pl-5 text-left text-base font-semibold" title={job.id}>
        {nameOfJob(job)}
      </th>
      <td className="px-3 py-3">User {job.userId}</td>
      <td className="px-3 py-3 wrap-anywhere">{job.reason}</td>
      <td className="px-3 py-3">
        <RelativeTime at={job.failedAt} />
      </td>
      <td className="px-3 py-3 text-right tabular-nums">{formatNumber(job.starts)}</td>
      <td className="py-3 pr-4 text-right">
        <RetryJobButton job={job} />
      </td>
    </tr>
  )
}

/** The jobs on a phone or a tablet. */
function JobList({ jobs }: JobsProps) {
  return (
    <ul aria-label="Failed jobs" className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
      {jobs.map((job) => (
        <li key={job.id} className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 p-4 sm:px-5">
          <div className="min-w-0 flex-1 basis-72">
            <h2 className="font-semibold">{nameOfJob(job)}</h2>
            <p className="text-sm text-muted">
              User {job.userId}, failed <RelativeTime at={job.failedAt} />, started {countOf(job.starts, 'time')}
            </p>
            <p className="mt-1 text-sm wrap-anywhere">{job.reason}</p>
          </div>
          <RetryJobButton job={job} className="max-sm:w-full" />
        </li>
      ))}
    </ul>
  )
}

function JobsSkeleton() {
  return (
    <div role="status" className="grid gap-px overflow-hidden rounded-lg bg-line shadow-low ring ring-line">
      <span className="sr-only">Loading the failed jobs</span>
      {[0, 1, 2].map((row) => (
        <div key={row} className="grid h-16 content-center bg-surface px-4 sm:px-5">
          <Skeleton className="h-4 w-72 max-w-full" />
        </div>
      ))}
    </div>
  )
}
