import { useEffect, useRef } from 'react'
import { Progress } from '../../components/ui/loading.tsx'
import { useActivity } from './wizard-store.ts'

/** The progress bar of the running work with its status text. */
export function ProgressLine({ label }: { label: string }) {
  const { busy, progress, text } = useActivity()
  const line = useRef<HTMLDivElement>(null)
  const isShown = busy !== null && text !== ''
  useEffect(() => {
    if (isShown) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown])
  return (
    <div ref={line} role="status" className="grid gap-1.5">
      {isShown && (
        <>
          <Progress value={progress} label={label} />
          <p className="text-sm text-muted">{text}</p>
        </>
      )}
    </div>
  )
}
