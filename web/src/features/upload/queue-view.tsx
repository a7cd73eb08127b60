import { ToggleGroup } from 'radix-ui'
import { useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { Button } from '../../components/ui/button.tsx'
import { Progress } from '../../components/ui/loading.tsx'
import { formatNumber } from '../../lib/format.ts'
import { ItemList } from './item-list.tsx'
import { IssueList, NoRoomNotice } from './notices.tsx'
import type { Item } from './queue/items.ts'
import { ACTIVE, DONE, ENDED, PROBLEMS, RESENDABLE, type StateName } from './queue/states.ts'
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
          {label}
          <span className="font-normal tabular-nums text-muted">{formatNumber(queue.store.count(names))}</span>
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
