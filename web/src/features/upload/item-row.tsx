import { Ban, Check, CircleAlert, Clock, CloudUpload, HardDrive, LoaderCircle, RotateCw, Trash2, X } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { IconButton } from '../../components/ui/button.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/format.ts'
import type { Hold } from './queue/connection.ts'
import type { Item } from './queue/items.ts'
import type { State } from './queue/states.ts'
import { queue } from './upload-actions.ts'

interface ItemRowProps {
  item: Item
  state: State
  hold: Hold | null
  canCancel: boolean
}

/** One file: its name and size, state, progress bar, and the available action. */
export const ItemRow = memo(function ItemRow({ item, state, hold, canCancel }: ItemRowProps) {
  const { bytes } = item
  const { name } = item.file
  const problem = 'reason' in state
  return (
    <div className="flex h-19 items-center gap-3 pl-1">
      <StateIcon state={state} />
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span className="truncate text-sm font-semibold" title={item.path ? `${item.path}/${name}` : name}>
            {name}
          </span>
          <span className="shrink-0 text-xs text-muted">{formatBytes(bytes)}</span>
        </p>
        <p
          className={cx(
            'wrap-anywhere',
            problem ? 'line-clamp-3 text-xs text-danger' : 'text-sm tabular-nums text-muted',
          )}
        >
          {stateText(item, hold)}
        </p>
        {state.name === 'sending' && (
          <div className="mt-1">
            <Progress value={percentOf(state, bytes)} label={name} />
          </div>
        )}
      </div>
      <RowAction item={item} canCancel={canCancel} />
    </div>
  )
})

function RowAction({ item, canCancel }: { item: Item; canCancel: boolean }) {
  const { name } = item.file
  if (canCancel) return <IconButton label={`Cancel ${name}`} icon={<X />} onClick={() => queue.cancel(item)} />
  switch (item.state.name) {
    case 'failed':
    case 'no-room':
    case 'cancelled':
      return <IconButton label={`Retry ${name}`} icon={<RotateCw />} onClick={() => queue.retry(item)} />
    case 'unprocessed':
      return <IconButton label={`Try again: ${name}`} icon={<RotateCw />} onClick={() => queue.reprocess(item)} />
    default:
      return null
  }
}

function stateText({ state, bytes }: Item, hold: Hold | null): string {
  switch (state.name) {
    case 'waiting':
      return 'Waiting'
    case 'checking':
    case 'queued':
      if (hold === 'connection') return 'Waiting for the connection'
      return state.name === 'checking' && hold === null ? 'Checking' : 'Waiting'
    case 'sending':
      return `${state.stored >= bytes ? 'Sent' : `${percentOf(state, bytes)}%`}${HOLD_TEXTS[hold ?? 'none']}`
    case 'processing':
      return 'Stored, processing'
    case 'ready':
      return 'Uploaded and processed'
    case 'known':
      return 'Already in your photos'
    case 'cancelled':
      return 'Cancelled'
    case 'deleted':
      return 'Deleted meanwhile'
    default:
      return state.reason
  }
}

const HOLD_TEXTS = {
  none: '',
  connection: ', waiting for the connection',
  busy: ', waiting',
  'signed-out': ', waiting',
}

/** Whole; 100 only when the server has confirmed all bytes. */
function percentOf({ stored, inFlight }: { stored: number; inFlight: number }, bytes: number): number {
  return stored >= bytes ? 100 : Math.min(Math.floor(((stored + inFlight) / bytes) * 100), 99)
}

const ICONS: Record<State['name'], { icon: ReactNode; color: string }> = {
  waiting: { icon: <Clock />, color: 'text-muted' },
  checking: { icon: <Clock />, color: 'text-muted' },
  queued: { icon: <Clock />, color: 'text-muted' },
  sending: { icon: <CloudUpload />, color: 'text-accent' },
  processing: { icon: <LoaderCircle className="animate-spin" />, color: 'text-accent' },
  ready: { icon: <Check />, color: 'text-good' },
  known: { icon: <Check />, color: 'text-good' },
  unprocessed: { icon: <CircleAlert />, color: 'text-danger' },
  rejected: { icon: <Ban />, color: 'text-danger' },
  failed: { icon: <CircleAlert />, color: 'text-danger' },
  'no-room': { icon: <HardDrive />, color: 'text-danger' },
  cancelled: { icon: <X />, color: 'text-muted' },
  deleted: { icon: <Trash2 />, color: 'text-muted' },
}

function StateIcon({ state }: { state: State }) {
  const { icon, color } = ICONS[state.name]
  return (
    <span aria-hidden className={cx('shrink-0 [&>svg]:size-5', color)}>
      {icon}
    </span>
  )
}
