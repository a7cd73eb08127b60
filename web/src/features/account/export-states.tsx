import { useQueryClient } from '@tanstack/react-query'
import { Download, FileArchive } from 'lucide-react'
import { exportQuery } from '../../api/account.ts'
import type { AccountExport } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { formatBytes } from '../../lib/format.ts'
import { formatMoment } from './deletion-texts.ts'
import { percentDone } from './export-texts.ts'

/** The server is at work; the page may be left. */
export function ExportPreparing({ progress }: Pick<AccountExport, 'progress'>) {
  const percent = percentDone(progress)
  return (
    <div className="grid gap-2">
      <p className="flex justify-between gap-4 font-medium">
        <span role="status">Preparing your export</span>
        <span className="tabular-nums">{percent} %</span>
      </p>
      <Progress value={percent} label="Progress of your export" />
      <p className="text-sm text-muted">You can leave this page: the preparation continues.</p>
    </div>
  )
}

/** The archive, with a plain link: the browser shows the download's progress and can resume it. */
export function ExportReady({ known }: { known: AccountExport }) {
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
          {known.size !== null && `${formatBytes(known.size)} · `}
          {known.expiresAt !== null && (
            <>
              expires on <time dateTime={known.expiresAt}>{formatMoment(known.expiresAt)}</time>
            </>
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
