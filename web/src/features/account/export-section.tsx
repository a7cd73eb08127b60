import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { exportQuery, prepareExport } from '../../api/account.ts'
import type { AccountExport } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { AlertText } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { useNow } from '../../lib/use-now.ts'
import { FailureNotice, Submit } from './email-link-submit.tsx'
import { ExportPreparing, ExportReady } from './export-states.tsx'
import { exportStateOf } from './export-texts.ts'
import { Section } from './section.tsx'

/** Where links to the section lead. */
export const EXPORT_ANCHOR = 'export'

/** A copy of all that the account contains, prepared by the server and downloaded as one file. */
export function ExportSection() {
  const { data: known, error, refetch } = useQuery(exportQuery)
  return (
    <Section
      title="Export your data"
      description="A ZIP archive with your original photos in their folders, and your profile, photo details, rankings and print orders as JSON files."
      anchor={EXPORT_ANCHOR}
    >
      {known && <ExportState known={known} />}
      {!known && !error && <ExportSkeleton />}
      {error && (
        <div className="grid justify-items-start gap-3">
          <FailureNotice error={error} />
          <Button onClick={() => void refetch()}>Retry</Button>
        </div>
      )}
    </Section>
  )
}

function ExportState({ known }: { known: AccountExport }) {
  const now = useNow()
  const state = exportStateOf(known, now)
  const start = useStartExport()
  if (state === 'preparing') return <ExportPreparing progress={known.progress} />
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

function useStartExport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: prepareExport,
    onSuccess: async (started) => {
      await client.cancelQueries({ queryKey: exportQuery.queryKey })
      client.setQueryData(exportQuery.queryKey, started)
    },
  })
}

function ExportSkeleton() {
  return (
    <div role="status" className="grid gap-2">
      <span className="sr-only">Loading the state of your export</span>
      <Skeleton className="h-4 w-64" />
      <Skeleton className="h-10 w-36 rounded-md" />
    </div>
  )
}
