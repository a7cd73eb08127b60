import { Button } from '../../components/ui/button.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { countOf } from '../../lib/format.ts'
import { openUpload, type UploadPhase, useUploadSession } from './session.ts'
import { processedOf, sentPercent, UploadAnnouncer } from './upload-progress.tsx'

/** A line that tells of the running upload while its dialog is closed. */
export function UploadStrip() {
  const { open, phase } = useUploadSession()
  const now = stripOf(phase)
  if (open || !now) return null
  return (
    <section aria-label="Upload" className="mb-5 flex items-center gap-4 rounded-md bg-surface px-4 py-2 shadow-low">
      <UploadAnnouncer phase={phase} />
      <div className="min-w-0 flex-1">
        <p className="mb-1.5 truncate text-sm font-semibold">{now.text}</p>
        <Progress value={now.percent} label={now.text} />
      </div>
      <Button size="small" onClick={() => openUpload()}>
        Show
      </Button>
    </section>
  )
}

function stripOf(phase: UploadPhase): { text: string; percent: number } | null {
  if (phase.name === 'sending') {
    const percent = sentPercent(phase.progress)
    return { text: `Uploading ${countOf(phase.files, 'photo')} · ${percent}%`, percent }
  }
  if (phase.name === 'processing') {
    const { finished, total } = phase.processing
    return { text: `Processing photos · ${processedOf(phase.processing)}`, percent: (finished / total) * 100 }
  }
  return null
}
