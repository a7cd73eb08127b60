import { useEffect, useState } from 'react'
import { formatDate, formatRelative } from '../../lib/format.ts'

const TICK_MS = 20_000

/** 'Uploaded 5 minutes ago', updated while it is shown. */
export function UploadTime({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={formatDate(at) ?? undefined}>
      Uploaded {formatRelative(at, Math.max(now, Date.parse(at)))}
    </time>
  )
}
