import { type LucideIcon, Monitor, MonitorSmartphone, Smartphone } from 'lucide-react'
import type { AccountSession } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { useEndSession } from './sessions-changes.ts'

/** A device that is signed in, with when it was used. */
export function SessionRow({ session, onEnded }: { session: AccountSession; onEnded: () => void }) {
  const end = useEndSession(onEnded)
  const Icon = iconOf(session.device)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 py-4">
      <span aria-hidden className="grid size-10 shrink-0 place-items-center rounded-md bg-sunken text-muted">
        <Icon className="size-5" />
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold wrap-anywhere">
          {session.device} {session.current && <Badge tone="good">This device</Badge>}
        </h3>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>
            Last used <RelativeTime at={session.lastUsedAt} />
          </span>
          <span>
            Signed in <RelativeTime at={session.createdAt} />
          </span>
        </p>
      </div>
      {!session.current && (
        <Button size="small" busy={end.isPending} onClick={() => end.mutate(session)} className="max-sm:w-full">
          Sign out<span className="sr-only"> {session.device}</span>
        </Button>
      )}
    </div>
  )
}

function iconOf(device: string): LucideIcon {
  if (/iOS|Android/.test(device)) return Smartphone
  return /Windows|macOS|Linux|Chrome OS/.test(device) ? Monitor : MonitorSmartphone
}
