import { Progress } from '../../components/ui/progress.tsx'
import { useActivity } from './wizard-store.ts'

/** The progress bar of the running work with its status text. */
export function ProgressLine({ label }: { label: string }) {
  const { busy, progress, text } = useActivity()
  return (
    <div role="status" className="grid gap-1.5">
      {busy && text && (
        <>
          <Progress value={progress} label={label} />
          <p className="text-sm text-muted">{text}</p>
        </>
      )}
    </div>
  )
}
