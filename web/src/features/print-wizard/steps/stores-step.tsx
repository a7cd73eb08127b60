import { useQueryClient } from '@tanstack/react-query'
import { ExternalLink, LocateFixed, Search, Store } from 'lucide-react'
import { useEffect, useEffectEvent, useRef } from 'react'
import type { PrintStore } from '../../../api/print-orders.ts'
import { Badge } from '../../../components/ui/badge.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { EmptyState } from '../../../components/ui/empty-state.tsx'
import { Field, Input } from '../../../components/ui/field.tsx'
import { Skeleton } from '../../../components/ui/loading.tsx'
import { countOf, formatPhone } from '../../../lib/format.ts'
import { formatMilesAsKilometres, mapSearchLink } from '../../../photos/photo-facts.ts'
import { useSettings } from '../../../photos/use-settings.ts'
import {
  findLastStore,
  findStoresAgain,
  findStoresByText,
  findStoresHere,
  rememberStore,
  stopLocating,
  storesAreOutdated,
} from '../actions/find-stores.ts'
import { chosenStore } from '../order.ts'
import { type NextButton, ProgressLine, RadioCard, StepHeading } from '../step-parts.tsx'
import { addressOf, hoursOf, isOpenNow, readyTime, storeName } from '../store-texts.ts'
import { chooseStore, edit, goTo, storesToChoose } from '../wizard-state.ts'
import { change, useActivity, useWizard } from '../wizard-store.ts'

export function StoresStep() {
  const client = useQueryClient()
  const { search, lastStore, error } = useWizard()
  const { busy, findingLastStore } = useActivity()
  const end = useRef<HTMLDivElement>(null)
  const isSearching = busy === 'stores'
  const stores = isSearching ? null : search.stores
  const choices = storesToChoose({ search: { ...search, stores }, lastStore })
  const awaited = (findingLastStore ? 1 : 0) + (isSearching ? STORES_AWAITED : 0)

  const enter = useEffectEvent(() => {
    void findLastStore()
    if (storesAreOutdated()) void findStoresAgain(client)
    else if (stores === null && error === null && busy === null) void findStoresHere(client, true)
  })
  useEffect(() => {
    enter()
    return stopLocating
  }, [])

  function choose(storeNum: string): void {
    change(chooseStore, storeNum)
    end.current?.scrollIntoView({ block: 'end', behavior: 'smooth' })
  }

  return (
    <div className="grid gap-4">
      <StepHeading>Choose a store</StepHeading>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void findStoresByText(client)
        }}
      >
        <Field label="Location" hint="ZIP code, city, or state">
          {(control) => (
            <Input
              {...control}
              autoComplete="postal-code"
              enterKeyHint="search"
              value={search.text}
              onChange={(event) => change(edit, { search: { ...search, text: event.target.value } })}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" disabled={isSearching}>
            <Search aria-hidden /> Search Stores
          </Button>
          <Button variant="quiet" disabled={busy !== null} onClick={() => findStoresHere(client)}>
            <LocateFixed aria-hidden /> Use My Location
            <span className="font-normal">(may be inaccurate)</span>
          </Button>
        </div>
      </form>
      <ProgressLine label="Store search" />
      <p role="status" className="text-sm text-muted">
        {stores && busy === null && `${countOf(stores.length, 'store')}${search.place ? ` near ${search.place}` : ''}`}
      </p>
      {stores?.length === 0 && busy === null && (
        <EmptyState
          heading="h3"
          icon={<Store />}
          title="No stores found"
          description="No store near this location prints these sizes. Try another ZIP code or city."
        />
      )}
      {choices.length + awaited > 0 && (
        <fieldset aria-busy={awaited > 0} className="-m-1 grid max-h-96 gap-2 overflow-y-auto overscroll-contain p-1">
          <legend className="sr-only">Store</legend>
          {choices.map((store) => (
            <StoreOption
              key={store.storeNum}
              store={store}
              isLast={store.storeNum === lastStore?.store.storeNum}
              onChoose={choose}
            />
          ))}
          {Array.from({ length: awaited }, (_, shape) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
            <Skeleton key={shape} className="h-40 rounded-md" />
          ))}
        </fieldset>
      )}
      <div ref={end} />
    </div>
  )
}

const STORES_AWAITED = 3
const LINK = 'inline-flex min-h-11 items-center gap-1.5 font-semibold text-accent hover:underline sm:min-h-7'

interface StoreOptionProps {
  store: PrintStore
  /** The user chose it for the last order. */
  isLast: boolean
  onChoose: (storeNum: string) => void
}

function StoreOption({ store, isLast, onChoose }: StoreOptionProps) {
  const { storeNum } = useWizard()
  const { units } = useSettings()
  // The stores are American: distances are in miles, for others with the kilometres.
  const miles = Number.parseFloat(store.distance ?? '')
  const isOpen = isOpenNow(store, new Date())
  return (
    <RadioCard
      name="store"
      value={store.storeNum}
      checked={store.storeNum === storeNum}
      onChange={() => onChoose(store.storeNum)}
      className="items-start pt-3 pb-1 [&>input]:mt-0.5"
      footer={
        <p className="flex flex-wrap items-center gap-x-4 pr-4 pb-2 pl-12 text-sm">
          {store.phone?.trim() && (
            <a href={`tel:${store.phone.replace(/[^\d+]/g, '')}`} className={LINK}>
              {formatPhone(store.phone)}
            </a>
          )}
          <a href={mapSearchLink(`Walgreens, ${addressOf(store)}`)} target="_blank" rel="noreferrer" className={LINK}>
            View on Map <ExternalLink aria-hidden className="size-4" />
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        </p>
      }
    >
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="flex flex-wrap items-center gap-x-2">
            <span className="font-semibold">{storeName(store)}</span>
            {isLast && <Badge tone="accent">Your last store</Badge>}
          </span>
          {Number.isFinite(miles) && (
            <span className="text-sm text-muted">
              <span>{`${miles.toFixed(1)} miles`}</span>
              {units === 'metric' && <span>{` (${formatMilesAsKilometres(miles)})`}</span>}
            </span>
          )}
        </span>
        <span>{addressOf(store)}</span>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          {isOpen !== null && <Badge tone={isOpen ? 'good' : 'neutral'}>{isOpen ? 'Open now' : 'Closed now'}</Badge>}
          <span>{hoursOf(store).join(' – ')}</span>
        </span>
        <span className="text-sm font-semibold">{`Ready: ${readyTime(store.promiseTime)}`}</span>
      </span>
    </RadioCard>
  )
}

export function useStoresNext(): NextButton {
  const state = useWizard()
  return {
    children: 'Continue to Order Details',
    disabled: chosenStore(state) === null,
    onClick() {
      rememberStore()
      change(goTo, 'order')
    },
  }
}
