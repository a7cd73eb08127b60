import { formatDate, formatRelative } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'

/** 'Uploaded 5 minutes ago', updated while it is shown. */
export function UploadTime({ at }: { at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={formatDate(at) ?? undefined}>
      Uploaded {formatRelative(at, Math.max(now, Date.parse(at)))}
    </time>
  )
}
