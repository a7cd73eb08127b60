import { useQueryClient } from '@tanstack/react-query'
import { LocateFixed, Search, Store } from 'lucide-react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { Button } from '../../../components/ui/button.tsx'
import { EmptyState } from '../../../components/ui/empty-state.tsx'
import { Field, Input } from '../../../components/ui/field.tsx'
import { countOf } from '../../../lib/format.ts'
import {
  findStoresAgain,
  findStoresByText,
  findStoresHere,
  stopLocating,
  storesAreOutdated,
} from '../actions/find-stores.ts'
import { chosenStore } from '../order.ts'
import { ProgressLine } from '../progress-line.tsx'
import { StepHeading } from '../step-list.tsx'
import { StoreOption } from '../store-option.tsx'
import { changeSearch, chooseStore, goTo } from '../wizard-state.ts'
import { change, useActivity, useWizard } from '../wizard-store.ts'

/** The store where the prints are picked up. */
export function StoresStep() {
  const client = useQueryClient()
  const { search, error } = useWizard()
  const { busy } = useActivity()
  const end = useRef<HTMLDivElement>(null)
  const { stores } = search

  const enter = useEffectEvent(() => {
    if (storesAreOutdated()) void findStoresAgain(client)
    else if (stores === null && error === null && busy === null) void findStoresHere(client)
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
              onChange={(event) => change(changeSearch, { text: event.target.value })}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" disabled={busy === 'stores'}>
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
      {stores && <StoreOptions onChoose={choose} />}
      <div ref={end} />
    </div>
  )
}

function StoreOptions({ onChoose }: { onChoose: (storeNum: string) => void }) {
  const { search, storeNum } = useWizard()
  const stores = search.stores ?? []
  if (stores.length === 0) {
    return (
      <EmptyState
        heading="h3"
        icon={<Store />}
        title="No stores found"
        description="No store near this location prints these sizes. Try another ZIP code or city."
      />
    )
  }
  return (
    <fieldset className="-m-1 grid max-h-96 gap-2 overflow-y-auto overscroll-contain p-1">
      <legend className="sr-only">Store</legend>
      {stores.map((store) => (
        <StoreOption
          key={store.storeNum}
          store={store}
          chosen={store.storeNum === storeNum}
          onChoose={() => onChoose(store.storeNum)}
        />
      ))}
    </fieldset>
  )
}

export function StoresButtons() {
  const state = useWizard()
  const { busy } = useActivity()
  return (
    <>
      <Button disabled={busy === 'stores'} onClick={() => change(goTo, 'products')}>
        Back
      </Button>
      <Button
        variant="primary"
        disabled={busy === 'stores' || chosenStore(state) === null}
        onClick={() => change(goTo, 'order')}
      >
        Continue to Order Details
      </Button>
    </>
  )
}
