import { Ban, Check, CircleAlert, Clock, CloudUpload, HardDrive, LoaderCircle, RotateCw, Trash2, X } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'
import { memo, type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { IssueList, NoRoomNotice } from './notices.tsx'
import type { Hold } from './queue/connection.ts'
import { canRetry, type Item } from './queue/items.ts'
import { ACTIVE, DONE, ENDED, PROBLEMS, RESENDABLE, type State, type StateName } from './queue/states.ts'
import { advice, announcement, details, headline, type Overview, overviewOf } from './texts.ts'
import { queue, useQueueVersion } from './upload-actions.ts'

/** Up to this many files are all shown; of more, only the active ones. */
const MAX_UNFILTERED = 12

const FILTERS: Record<string, { label: string; names: readonly StateName[] }> = {
  all: { label: 'All', names: [...ACTIVE, ...ENDED] },
  active: { label: 'On the way', names: ACTIVE },
  done: { label: 'Done', names: DONE },
  problems: { label: 'Problems', names: PROBLEMS },
}

export function QueueView() {
  useQueueVersion()
  const [chosen, setChosen] = useState<string | null>(null)
  const now = overviewOf(queue)
  const filter = chosen ?? automaticFilter(now)
  const { names } = FILTERS[filter] ?? { names: [] }
  return (
    <div className="grid gap-4">
      <p role="status" className="sr-only">
        {announcement(queue, now)}
      </p>
      <div>
        <div className="mb-2 flex items-baseline justify-between gap-4">
          <p className="font-semibold">{headline(queue, now)}</p>
          <p className="text-sm tabular-nums text-muted">{now.unsent > 0 && `${now.percent}%`}</p>
        </div>
        <Progress value={now.percent} label="All photos" />
        <div className="mt-2 flex min-h-11 items-center justify-between gap-4 sm:min-h-9">
          <p className="text-sm tabular-nums text-muted">{details(queue, now)}</p>
          {/* A photo that could not be processed is rarely helped by a retry. */}
          {queue.hold !== 'signed-out' && queue.store.count(RESENDABLE) > 0 && (
            <Button size="small" onClick={() => queue.retryFailed()}>
              Retry failed
            </Button>
          )}
          {queue.hold === 'signed-out' && <LogInToUpload />}
        </div>
      </div>
      <NoRoomNotice count={queue.store.count(['no-room'])} all={now.files} />
      <IssueList issues={[...queue.notes]} />
      <Filters value={filter} onChange={setChosen} />
      <ItemList key={filter} items={itemsIn(names)} />
      <p className="text-sm text-muted">{advice(queue, now)}</p>
    </div>
  )
}

/** The files in these states: those being sent first, those being processed last. */
function itemsIn(names: readonly StateName[]): Item[] {
  const items = queue.store.items.filter(({ state }) => names.includes(state.name))
  if (names !== ACTIVE) return items
  const rank = ({ state: { name } }: Item) => (name === 'sending' ? 0 : name === 'processing' ? 2 : 1)
  const { 0: sending = [], 1: others = [], 2: processing = [] } = Object.groupBy(items, rank)
  return [...sending, ...others, ...processing]
}

function automaticFilter({ active, files, problems }: Overview): string {
  if (!active && problems > 0) return 'problems'
  return files > MAX_UNFILTERED && active ? 'active' : 'all'
}

/** Leads back to this screen, whose dialog then shows the progress. */
export function LogInToUpload() {
  const { pathname, search } = useLocation()
  if (pathname === '/auth') return null
  // /upload would open the form.
  const from = pathname === '/upload' ? '/' : pathname + search
  return (
    <Button asChild variant="primary" size="small">
      <Link to="/auth" state={{ from }}>
        Log in to upload
      </Link>
    </Button>
  )
}

function Filters({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(next) => next && onChange(next)}
      aria-label="Show"
      className="flex w-full rounded-lg bg-sunken p-0.5 sm:w-fit sm:rounded-full"
    >
      {Object.entries(FILTERS).map(([key, { label, names }]) => (
        <ToggleGroup.Item
          key={key}
          value={key}
          // On phones the number is below the word: all four have room with any number.
          className="flex h-12 flex-auto flex-col items-center justify-center rounded-md px-1.5 text-sm leading-tight font-semibold text-muted transition hover:text-text data-[state=on]:bg-surface data-[state=on]:text-text data-[state=on]:shadow-low sm:h-8 sm:flex-none sm:flex-row sm:gap-1.5 sm:rounded-full sm:px-3"
        >
          <span>{label}</span>
          <span className="font-normal tabular-nums text-muted">{formatNumber(queue.store.count(names))}</span>
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

/** All rows have the same height, so that nothing has to be measured. */
const ROW_PX = 76
/** Rows beyond the visible ones, for fast scrolling. */
const OVERSCAN = 6
/** More rows than are ever visible at once. */
const SHOWN = 16

/** The list of files, which can have thousands of rows: only the visible ones are rendered. */
function ItemList({ items }: { items: readonly Item[] }) {
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

const LOOKS: Record<StateName, { icon: ReactNode; color: string; text?: string }> = {
  waiting: TO_SEND,
  hashing: TO_SEND,
  checking: TO_SEND,
  queued: TO_SEND,
  open: TO_SEND,
  sending: { icon: <CloudUpload />, color: 'text-accent' },
  processing: { icon: <LoaderCircle className="animate-spin" />, color: 'text-accent', text: 'Stored, processing' },
  ready: { icon: <Check />, color: 'text-good', text: 'Uploaded and processed' },
  known: { icon: <Check />, color: 'text-good', text: 'Already in your photos' },
  unprocessed: { icon: <CircleAlert />, color: 'text-danger' },
  rejected: { icon: <Ban />, color: 'text-danger' },
  failed: { icon: <CircleAlert />, color: 'text-danger' },
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
