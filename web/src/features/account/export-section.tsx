import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, FileArchive } from 'lucide-react'
import { exportQuery, prepareExport } from '../../api/account.ts'
import type { AccountExport } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { LoadingState } from '../../components/ui/empty-state.tsx'
import { AlertText } from '../../components/ui/field.tsx'
import { Progress, Skeleton } from '../../components/ui/loading.tsx'
import { Submit } from '../../components/ui/submit.tsx'
import { formatBytes } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { useNow } from '../../lib/use-now.ts'
import { formatMoment } from './deletion-texts.ts'
import { Section } from './section.tsx'

export const EXPORT_ANCHOR = 'export'

/** A copy of all that the account contains, prepared by the server and downloaded as one file. */
export function ExportSection() {
  const { data: known, error, refetch } = useQuery(exportQuery)
  return (
    <Section
      title="Export your data"
      description="A ZIP archive with your original photos in their folders, and your profile, photo details, rankings, invitations and print orders as JSON files."
      anchor={EXPORT_ANCHOR}
    >
      {known && <ExportState known={known} />}
      {!known && !error && (
        <LoadingState label="Loading the state of your export" className="grid gap-4">
          <Skeleton className="h-12 w-full" />
          <Skeleton className="h-10 w-36 rounded-md" />
        </LoadingState>
      )}
      {error && (
        <div className="grid justify-items-start gap-3">
          <AlertText>{errorMessage(error)}</AlertText>
          <Button onClick={() => void refetch()}>Retry</Button>
        </div>
      )}
    </Section>
  )
}

function ExportState({ known }: { known: AccountExport }) {
  const now = useNow()
  const state = exportStateOf(known, now)
  const client = useQueryClient()
  const start = useMutation({
    mutationFn: prepareExport,
    onSuccess: async (started) => {
      await client.cancelQueries({ queryKey: exportQuery.queryKey })
      client.setQueryData(exportQuery.queryKey, started)
    },
  })
  if (state === 'preparing') {
    const percent = percentDone(known.progress)
    return (
      <div className="grid gap-2">
        <p className="flex justify-between gap-4 font-medium">
          <span role="status">Preparing your export</span>
          <span className="tabular-nums">{`${percent} %`}</span>
        </p>
        <Progress value={percent} label="Progress of your export" />
        <p className="text-sm text-muted">You can leave this page: the preparation continues.</p>
      </div>
    )
  }
  const again = state !== 'none'
  return (
    <>
      {state === 'ready' && <ExportReady known={known} />}
      {state === 'failed' && <AlertText>{known.message ?? 'The export could not be prepared.'}</AlertText>}
      {state === 'none' && (
        <p className="text-pretty text-muted">
          Preparing it takes a while when you have many photos. The archive can then be downloaded for 7 days.
        </p>
      )}
      <Submit
        variant="secondary"
        className="sm:justify-self-start"
        busy={start.isPending}
        error={start.error}
        onClick={() => start.mutate(again)}
      >
        {again ? 'Prepare again' : 'Prepare export'}
      </Submit>
    </>
  )
}

/** The archive, with a plain link: the browser shows the download's progress and can resume it. */
function ExportReady({ known }: { known: AccountExport }) {
  const client = useQueryClient()
  const recheck = () => void client.invalidateQueries({ queryKey: exportQuery.queryKey })
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md bg-sunken p-3 sm:p-4">
      <FileArchive aria-hidden className="size-8 shrink-0 text-muted max-sm:hidden" />
      <div className="min-w-0 flex-1 basis-48">
        <p role="status" className="font-semibold">
          Your export is ready
        </p>
        <p className="text-sm text-muted">
          {known.size !== null && <span>{`${formatBytes(known.size)} · `}</span>}
          {known.expiresAt !== null && (
            <span>
              expires on <time dateTime={known.expiresAt}>{formatMoment(known.expiresAt)}</time>
            </span>
          )}
        </p>
      </div>
      <Button asChild className="max-sm:w-full">
        <a href={known.url ?? ''} download onClick={recheck}>
          <Download aria-hidden /> Download
        </a>
      </Button>
    </div>
  )
}

/** What the section shows. An archive that expired while the page was open is no longer there. */
export function exportStateOf(known: AccountExport, now: number): AccountExport['status'] {
  const { status, url, expiresAt } = known
  if (status !== 'ready') return status
  return url !== null && (expiresAt === null || Date.parse(expiresAt) > now) ? 'ready' : 'none'
}

/** 0 to 100; 0 while the amount of work is not known. */
export function percentDone(progress: AccountExport['progress']): number {
  if (!progress || progress.total <= 0) return 0
  return Math.min(100, Math.floor((progress.done / progress.total) * 100))
}
