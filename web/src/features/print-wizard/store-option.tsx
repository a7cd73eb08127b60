import { ExternalLink } from 'lucide-react'
import type { PrintStore } from '../../api/print-orders.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { formatPhone } from '../../lib/format.ts'
import { formatMilesAsKilometres, mapSearchLink } from '../../photos/photo-facts.ts'
import { useSettings } from '../../photos/use-settings.ts'
import { DEFAULT_CLOSE, DEFAULT_OPEN, isOpenNow, readyTime } from './store-times.ts'

interface StoreOptionProps {
  store: PrintStore
  chosen: boolean
  onChoose: () => void
}

/** A store to choose: distance, address, hours, and when the prints are ready. */
export function StoreOption({ store, chosen, onChoose }: StoreOptionProps) {
  const distance = Number.parseFloat(store.distance ?? '')
  return (
    <div className="relative rounded-md inset-ring inset-ring-line transition hover:bg-sunken has-checked:bg-accent-soft has-checked:inset-ring-2 has-checked:inset-ring-accent">
      <label className="flex cursor-pointer items-start gap-3 px-4 py-3 pb-1 has-focus-visible:outline-2 has-focus-visible:outline-accent">
        <input
          type="radio"
          name="store"
          value={store.storeNum}
          checked={chosen}
          onChange={onChoose}
          className="mt-0.5 size-5 shrink-0 accent-accent outline-none"
        />
        <span className="grid min-w-0 flex-1 gap-0.5">
          <span className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="font-semibold">{store.storeName?.trim() || `Walgreens #${store.storeNum}`}</span>
            {Number.isFinite(distance) && <Distance miles={distance} />}
          </span>
          <span>{addressOf(store)}</span>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
            <StoreHours store={store} />
          </span>
          <span className="text-sm font-semibold">Ready: {readyTime(store.promiseTime)}</span>
        </span>
      </label>
      <p className="flex flex-wrap items-center gap-x-4 pr-4 pb-2 pl-12 text-sm">
        {store.phone?.trim() && (
          <a href={`tel:${store.phone.replace(/[^\d+]/g, '')}`} className={LINK}>
            {formatPhone(store.phone)}
          </a>
        )}
        <a href={mapSearchLink(mapQuery(store))} target="_blank" rel="noreferrer" className={LINK}>
          View on Map <ExternalLink aria-hidden className="size-4" />
          <span className="sr-only">(opens in a new tab)</span>
        </a>
      </p>
    </div>
  )
}

/** The stores are American: distances are in miles, for others with the kilometres. */
function Distance({ miles }: { miles: number }) {
  const { units } = useSettings()
  return (
    <span className="text-sm text-muted">
      <span>{miles.toFixed(1)} miles</span>
      {units === 'metric' && ` (${formatMilesAsKilometres(miles)})`}
    </span>
  )
}

const LINK = 'inline-flex min-h-11 items-center gap-1.5 font-semibold text-accent hover:underline sm:min-h-7'

function StoreHours({ store }: { store: PrintStore }) {
  const open = isOpenNow(store, new Date())
  return (
    <>
      {open !== null && <Badge tone={open ? 'good' : 'neutral'}>{open ? 'Open now' : 'Closed now'}</Badge>}
      <span>
        {store.openTime || DEFAULT_OPEN} – {store.closeTime || DEFAULT_CLOSE}
      </span>
    </>
  )
}

/** '123 Main St, Duluth, MN 55804'. */
export function addressOf({ street, city, state, zip }: PrintStore): string {
  const region = [state, zip].filter(Boolean).join(' ')
  return [street, city, region]
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(', ')
}

function mapQuery(store: PrintStore): string {
  return `Walgreens, ${addressOf(store)}`
}
