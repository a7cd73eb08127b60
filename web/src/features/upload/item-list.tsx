import { Ban, Check, CircleAlert, Clock, CloudUpload, HardDrive, LoaderCircle, RotateCw, Trash2, X } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import { IconButton } from '../../components/ui/button.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/format.ts'
import type { Hold } from './queue/connection.ts'
import { canRetry, type Item } from './queue/items.ts'
import type { State, StateName } from './queue/states.ts'
import { queue } from './upload-actions.ts'

/** All rows have the same height, so that nothing has to be measured. */
const ROW_PX = 76
/** Rows beyond the visible ones, for fast scrolling. */
const OVERSCAN = 6
/** More rows than are ever visible at once. */
const SHOWN = 16

/** The list of files, which can have thousands of rows: only the visible ones are rendered. */
export function ItemList({ items }: { items: readonly Item[] }) {
  const [top, setTop] = useState(0)
  if (items.length === 0) {
    return <p className="rounded-md bg-bg px-4 py-6 text-center text-sm text-muted">No photos here.</p>
  }
  const first = Math.max(Math.min(top, items.length - SHOWN) - OVERSCAN, 0)
  return (
    <section
      aria-label="Files"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it, also where no row has a button
      tabIndex={0}
      onScroll={({ currentTarget }) => setTop(Math.floor(currentTarget.scrollTop / ROW_PX))}
      className="max-h-[42dvh] overflow-y-auto overscroll-contain rounded-md"
    >
      <ul className="relative" style={{ height: items.length * ROW_PX }}>
        {items.slice(first, first + SHOWN + 2 * OVERSCAN).map((item, index) => (
          <li
            key={item.id}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${(first + index) * ROW_PX}px)` }}
          >
            <ItemRow item={item} state={item.state} hold={queue.hold} canCancel={queue.canCancel(item)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface ItemRowProps {
  item: Item
  state: State
  hold: Hold | null
  canCancel: boolean
}

const ItemRow = memo(function ItemRow({ item, state, hold, canCancel }: ItemRowProps) {
  const { bytes, path } = item
  const { name } = item.file
  const { icon, color } = LOOKS[state.name]
  const problem = 'reason' in state
  return (
    <div className="flex h-19 items-center gap-3 pl-1">
      <span aria-hidden className={cx('shrink-0 [&>svg]:size-5', color)}>
        {icon}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span className="truncate text-sm font-semibold" title={path ? `${path}/${name}` : name}>
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
          {problem ? state.reason : stateText(state, bytes, hold)}
        </p>
        {state.name === 'sending' && (
          <div className="mt-1">
            <Progress value={percentOf(state, bytes)} label={name} />
          </div>
        )}
      </div>
      {canCancel && <IconButton label={`Cancel ${name}`} icon={<X />} onClick={() => queue.cancel(item)} />}
      {canRetry(item) && <IconButton label={`Retry ${name}`} icon={<RotateCw />} onClick={() => queue.retry(item)} />}
      {state.name === 'unprocessed' && (
        <IconButton label={`Try again: ${name}`} icon={<RotateCw />} onClick={() => queue.reprocess(item)} />
      )}
    </div>
  )
})

const TO_SEND = { icon: <Clock />, color: 'text-muted', text: 'Waiting' }
const DONE = { icon: <Check />, color: 'text-good' }
const FAILED = { icon: <CircleAlert />, color: 'text-danger' }

const LOOKS: Record<StateName, { icon: ReactNode; color: string; text?: string }> = {
  waiting: TO_SEND,
  hashing: TO_SEND,
  checking: TO_SEND,
  queued: TO_SEND,
  open: TO_SEND,
  sending: { icon: <CloudUpload />, color: 'text-accent' },
  processing: { icon: <LoaderCircle className="animate-spin" />, color: 'text-accent', text: 'Stored, processing' },
  ready: { ...DONE, text: 'Uploaded and processed' },
  known: { ...DONE, text: 'Already in your photos' },
  unprocessed: FAILED,
  rejected: { icon: <Ban />, color: 'text-danger' },
  failed: FAILED,
  'no-room': { icon: <HardDrive />, color: 'text-danger' },
  cancelled: { icon: <X />, color: 'text-muted', text: 'Cancelled' },
  deleted: { icon: <Trash2 />, color: 'text-muted', text: 'Deleted meanwhile' },
}

function stateText(state: State, bytes: number, hold: Hold | null): string | undefined {
  if (state.name === 'sending') {
    const sent = state.stored >= bytes ? 'Sent' : `${percentOf(state, bytes)}%`
    if (hold === 'connection') return `${sent}, waiting for the connection`
    return hold ? `${sent}, waiting` : sent
  }
  const isChecking = state.name === 'hashing' || state.name === 'checking'
  if (isChecking && hold === null) return 'Checking'
  const isWaiting = isChecking || state.name === 'queued' || state.name === 'open'
  return isWaiting && hold === 'connection' ? 'Waiting for the connection' : LOOKS[state.name].text
}

/** Whole; 100 only when the server has confirmed all bytes. */
function percentOf({ stored, inFlight }: { stored: number; inFlight: number }, bytes: number): number {
  return stored >= bytes ? 100 : Math.min(Math.floor(((stored + inFlight) / bytes) * 100), 99)
}
