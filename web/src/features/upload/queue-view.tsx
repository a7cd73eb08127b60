import { Ban, Check, CircleAlert, Clock, CloudUpload, HardDrive, LoaderCircle, RotateCw, Trash2, X } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'
import { memo, type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { formatOf } from '../../photos/formats.ts'
import { closeUpload } from './dialog-state.ts'
import { IssueList, NoRoomNotice } from './notices.tsx'
import type { Hold } from './queue/connection.ts'
import { canRetry, type Item, isAnyIn } from './queue/items.ts'
import type { PhotoOf } from './queue/photos.ts'
import {
  ACTIVE,
  DONE,
  ENDED,
  PROBLEMS,
  RESENDABLE,
  type State,
  type StateName,
  UNDONE,
  UNSENT,
} from './queue/states.ts'
import { ScrolledList } from './scrolled-list.tsx'
import { advice, announcement, details, headline, type Overview, overviewOf } from './texts.ts'
import { queue, useQueueVersion } from './upload-actions.ts'

/** Up to this many photos are all shown; of more, only the active ones. */
const MAX_UNFILTERED = 12

interface Filter {
  label: string
  /** Photos with a file in one of these states, and with none in those of `without`. */
  names: readonly StateName[]
  without?: readonly StateName[]
}

const FILTERS: Record<string, Filter> = {
  all: { label: 'All', names: [...ACTIVE, ...ENDED] },
  active: { label: 'On the way', names: ACTIVE },
  done: { label: 'Done', names: DONE, without: UNDONE },
  problems: { label: 'Problems', names: PROBLEMS },
}

export function QueueView() {
  useQueueVersion()
  const [chosen, setChosen] = useState<string | null>(null)
  const now = overviewOf(queue)
  const filter = chosen ?? automaticFilter(now)
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
      <NoRoomNotice count={queue.store.photosIn(['no-room']).length} all={now.photos} />
      <IssueList issues={[...queue.notes]} />
      <Filters value={filter} problems={now.problems} onChange={setChosen} />
      <PhotoList key={filter} photos={photosIn(FILTERS[filter])} />
      <p className="text-sm text-muted">{advice(queue, now)}</p>
    </div>
  )
}

type Photo = PhotoOf<Item>

/** The photos of a filter: of those on the way, first those being sent, last those being processed. */
function photosIn(filter: Filter | undefined): readonly Photo[] {
  const photos = filter ? queue.store.photosIn(filter.names, filter.without) : []
  if (filter !== FILTERS.active) return photos
  const rank = (files: Photo) => (isAnyIn(files, ['sending']) ? 0 : isAnyIn(files, UNSENT) ? 1 : 2)
  const { 0: sending = [], 1: others = [], 2: processing = [] } = Object.groupBy(photos, rank)
  return [...sending, ...others, ...processing]
}

function automaticFilter({ active, photos, problems }: Overview): string {
  if (!active && problems > 0) return 'problems'
  return photos > MAX_UNFILTERED && active ? 'active' : 'all'
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

interface FiltersProps {
  value: string
  problems: number
  onChange: (value: string) => void
}

/** Their numbers are left out, except that of problems: the headline counts. */
function Filters({ value, problems, onChange }: FiltersProps) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(next) => next && onChange(next)}
      aria-label="Show"
      className="flex w-full rounded-lg bg-sunken p-0.5 sm:w-fit sm:rounded-full"
    >
      {Object.entries(FILTERS).map(([key, { label }]) => (
        <ToggleGroup.Item
          key={key}
          value={key}
          className="h-11 flex-auto rounded-md px-1.5 text-sm font-semibold text-muted transition hover:text-text data-[state=on]:bg-surface data-[state=on]:text-text data-[state=on]:shadow-low sm:h-8 sm:flex-none sm:rounded-full sm:px-3"
        >
          {key === 'problems' && problems > 0 ? `${label} (${formatNumber(problems)})` : label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

const ROW_PX = 76
const PAIR_PX = 124

function PhotoList({ photos }: { photos: readonly Photo[] }) {
  if (photos.length === 0) {
    return <p className="rounded-md bg-bg px-4 py-6 text-center text-sm text-muted">No photos here.</p>
  }
  return (
    <ScrolledList label="Files" entries={photos} keyOf={([file]) => file.id} heightOf={heightOf}>
      {([file, raw]) =>
        raw ? (
          <PairRow jpeg={file} raw={raw} />
        ) : (
          <ItemRow item={file} state={file.state} hold={queue.hold} canCancel={queue.canCancel(file)} />
        )
      }
    </ScrolledList>
  )
}

function heightOf(photo: Photo): number {
  return photo.length > 1 ? PAIR_PX : ROW_PX
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
  return (
    <div className="flex h-19 items-center gap-3 pl-1">
      <StateIcon name={state.name} />
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
            'reason' in state ? 'line-clamp-3 text-xs text-danger' : 'text-sm tabular-nums text-muted',
          )}
        >
          {stateText(state, bytes, hold)}
        </p>
        {state.name === 'sending' && (
          <div className="mt-1">
            <Progress value={percentOf(state, bytes)} label={name} />
          </div>
        )}
      </div>
      {canCancel && <IconButton label={`Cancel ${name}`} icon={<X />} onClick={() => queue.cancel(item)} />}
      <RetryButton item={item} state={state} />
      <PhotoLink item={item} state={state} name={name} />
    </div>
  )
})

/** A pair: its name, and a line for each file. */
function PairRow({ jpeg, raw }: { jpeg: Item; raw: Item }) {
  const { path } = jpeg
  const name = jpeg.file.name.replace(/\.[^.]+$/, '')
  const files = [jpeg, raw]
  const cancel = () => {
    for (const item of files) queue.cancel(item)
  }
  return (
    <div className="flex items-center gap-3 pl-1" style={{ height: PAIR_PX }}>
      <div className="min-w-0 flex-1">
        <p className="truncate pl-8 text-sm font-semibold" title={path ? `${path}/${name}` : name}>
          {name}
        </p>
        {files.map((item) => (
          <PairedFile key={item.id} item={item} state={item.state} hold={queue.hold} />
        ))}
      </div>
      {files.some((item) => queue.canCancel(item)) && (
        <IconButton label={`Cancel ${name}`} icon={<X />} onClick={cancel} />
      )}
      <PhotoLink item={jpeg} state={jpeg.state} name={name} />
    </div>
  )
}

const PairedFile = memo(function PairedFile({ item, state, hold }: Omit<ItemRowProps, 'canCancel'>) {
  const { bytes, file } = item
  const format = formatOf({ filename: file.name })
  const percent = barOf(state, bytes)
  return (
    <div className="flex h-12 items-center gap-3">
      <StateIcon name={state.name} />
      <div className="-mr-1 w-13 shrink-0">
        <Badge>{format}</Badge>
      </div>
      <div className="min-w-0 flex-1">
        <p className="line-clamp-3 text-xs wrap-anywhere text-muted tabular-nums">
          <span className="mr-2">{formatBytes(bytes)}</span>
          <span className={cx('reason' in state && 'text-danger')}>{stateText(state, bytes, hold)}</span>
        </p>
        {percent !== null && (
          <div className="mt-1">
            <Progress value={percent} label={format} />
          </div>
        )}
      </div>
      <RetryButton item={item} state={state} />
    </div>
  )
})

function StateIcon({ name }: { name: StateName }) {
  const { icon, color } = LOOKS[name]
  return (
    <span aria-hidden className={cx('shrink-0 [&>svg]:size-5', color)}>
      {icon}
    </span>
  )
}

function RetryButton({ item, state }: { item: Item; state: State }) {
  const { name } = item.file
  if (canRetry(item))
    return <IconButton label={`Retry ${name}`} icon={<RotateCw />} onClick={() => queue.retry(item)} />
  if (state.name !== 'unprocessed') return null
  return <IconButton label={`Try again: ${name}`} icon={<RotateCw />} onClick={() => queue.reprocess(item)} />
}

/** Leads to the photo of a file, in its folder if one was chosen. */
function PhotoLink({ item, state, name }: { item: Item; state: State; name: string }) {
  if (state.name !== 'known' && state.name !== 'ready') return null
  const { folderId } = item.batch
  const screen = folderId === null ? '/' : `/folders/${folderId}`
  return (
    <LinkButton
      to={`${screen}?photo=${state.photoId}`}
      variant="quiet"
      size="small"
      aria-label={`Show ${name}`}
      onClick={closeUpload}
    >
      Show
    </LinkButton>
  )
}

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
  if ('reason' in state) return state.reason
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

/** The percentage that the bar of a paired file shows; null when it has none. */
function barOf(state: State, bytes: number): number | null {
  if (state.name === 'sending') return percentOf(state, bytes)
  if (UNSENT.includes(state.name)) return 0
  return state.name === 'processing' || DONE.includes(state.name) ? 100 : null
}
