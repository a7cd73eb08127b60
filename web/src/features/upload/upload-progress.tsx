import { Progress } from '../../components/ui/progress.tsx'
import { countOf, formatBytes, formatNumber } from '../../lib/format.ts'
import { announcedPercent, type SendProgress } from './groups.ts'
import type { Processing } from './processing.ts'
import type { UploadPhase } from './session.ts'

/** What a screen reader is told of the upload, in large steps. */
export function UploadAnnouncer({ phase }: { phase: UploadPhase }) {
  return (
    <p role="status" className="sr-only">
      {announcement(phase)}
    </p>
  )
}

function announcement(phase: UploadPhase): string {
  if (phase.name === 'sending')
    return `Uploading ${countOf(phase.files, 'photo')}, ${announcedPercent(phase.progress)} percent`
  if (phase.name === 'processing') return processedOf(phase.processing)
  return ''
}

/** '2 of 3 processed'. */
export function processedOf({ finished, total }: Processing): string {
  return `${formatNumber(finished)} of ${formatNumber(total)} processed`
}

/** Per cent of all bytes, as a whole number. */
export function sentPercent({ sentBytes, totalBytes }: SendProgress): number {
  return totalBytes === 0 ? 100 : Math.floor((sentBytes / totalBytes) * 100)
}

export function Sending({ progress, files }: { progress: SendProgress; files: number }) {
  const percent = sentPercent(progress)
  return (
    <div className="grid gap-5">
      <Meter
        title={`Uploading ${countOf(files, 'photo')}`}
        value={percent}
        detail={`${formatBytes(progress.sentBytes)} of ${formatBytes(progress.totalBytes)}`}
        number={`${percent}%`}
      />
      {progress.requests > 1 && (
        <Meter
          title={`Request ${progress.request} of ${progress.requests}`}
          value={progress.requestFraction * 100}
          detail={percent < 100 && progress.requestFraction === 1 ? 'Waiting for the server to store it' : ''}
          number={`${Math.floor(progress.requestFraction * 100)}%`}
        />
      )}
      <p className="text-sm text-muted">
        {percent === 100
          ? 'All bytes are sent. Waiting for the server to store them.'
          : 'You can close this dialog; the upload goes on.'}
      </p>
    </div>
  )
}

export function ProcessingPhotos({ processing }: { processing: Processing }) {
  return (
    <div className="grid gap-5">
      <Meter
        title="Processing"
        value={(processing.finished / processing.total) * 100}
        detail="Reading place and date, making previews"
        number={processedOf(processing)}
      />
      <p className="text-sm text-muted">Your photos are stored safely. You can close this dialog.</p>
    </div>
  )
}

function Meter({ title, value, detail, number }: { title: string; value: number; detail: string; number: string }) {
  return (
    <div>
      <div className="mb-2 flex items-baseline justify-between gap-4">
        <p className="font-semibold">{title}</p>
        <p className="text-sm text-muted">{number}</p>
      </div>
      <Progress value={value} label={title} />
      <p className="mt-2 min-h-5 text-sm text-muted">{detail}</p>
    </div>
  )
}
