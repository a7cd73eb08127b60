import { useQuery } from '@tanstack/react-query'
import { MapPin } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react'
import { geocode } from '../api/geocode.ts'
import type { GeocodedPlace } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { Field } from '../components/ui/field.tsx'
import { Spinner } from '../components/ui/loading.tsx'
import { SearchInput } from '../components/ui/search-input.tsx'
import { type Coordinates, parseCoordinates } from '../lib/coordinates.ts'
import type { Position } from '../lib/geography.ts'
import { errorMessage, isRetryable } from '../lib/http.ts'
import { useTypedSearch } from '../lib/use-typed-search.ts'

/** The server's limit. */
const MAX_LENGTH = 200
/** One letter names no place. */
const MIN_LENGTH = 2

/** Where a text is. */
export interface FoundPlace extends Position {
  /** Of the place, or the coordinates again. */
  name: string
  /** From coordinates; otherwise somewhere in the place. */
  isExact: boolean
}

/** A field for a place or coordinates. What it finds stands below it, and is taken by Enter, by a click, and at once when coordinates are pasted. */
export function PlaceField({ label, onFound }: { label: string; onFound: (found: FoundPlace) => void }) {
  const [wanted, setWanted] = useState('')
  const { text, setText, search } = useTypedSearch(wanted, setWanted)
  // Enter was pressed before this was found.
  const [entered, setEntered] = useState('')
  const name = text.trim()
  const coordinates = parseCoordinates(text)
  const query = useQuery({
    queryKey: ['geocode', wanted],
    queryFn: () => geocode(wanted),
    enabled: wanted.length >= MIN_LENGTH && !parseCoordinates(wanted),
  })
  const isCurrent = name === wanted && name.length >= MIN_LENGTH
  const found = coordinates ? exactly(coordinates) : isCurrent && query.data ? asFound(query.data) : null

  function take(taken: FoundPlace): void {
    setEntered('')
    onFound(taken)
  }

  const takeEntered = useEffectEvent(() => found && take(found))
  const isAwaited = found !== null && entered !== '' && entered === name
  useEffect(() => {
    if (isAwaited) takeEntered()
  }, [isAwaited])

  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter') return
    // It stands in forms.
    event.preventDefault()
    if (found) take(found)
    else {
      setEntered(name)
      search()
    }
  }

  function paste(event: ClipboardEvent): void {
    const read = parseCoordinates(event.clipboardData.getData('text'))
    if (!read) return
    event.preventDefault()
    // A link may be longer than the field takes.
    const at = exactly(read)
    setText(at.name)
    take(at)
  }

  return (
    // What is typed here is no edit of a form around it.
    <div className="grid gap-1.5" onInput={(event) => event.stopPropagation()}>
      <Field label={label}>
        {(control) => (
          <SearchInput
            {...control}
            value={text}
            placeholder="City, ZIP code or coordinates"
            maxLength={MAX_LENGTH}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={press}
            onPaste={paste}
          />
        )}
      </Field>
      <div aria-live="polite" className="grid min-w-0">
        {found ? (
          <button
            type="button"
            onClick={() => take(found)}
            className="flex min-h-11 items-center gap-2 rounded-md px-3 py-1.5 text-left text-sm transition hover:bg-sunken sm:min-h-9"
          >
            <MapPin aria-hidden className="size-4 shrink-0 text-accent" />
            <span className={found.isExact ? 'font-mono' : 'min-w-0'}>{found.name}</span>
          </button>
        ) : (
          isCurrent && <Outcome query={query} />
        )}
      </div>
    </div>
  )
}

function exactly({ latitude, longitude }: Coordinates): FoundPlace {
  return { ...degrees({ latitude, longitude }), name: `${latitude}, ${longitude}`, isExact: true }
}

function asFound({ latitude, longitude, display_name: name }: GeocodedPlace): FoundPlace {
  return { ...degrees({ latitude, longitude }), name, isExact: false }
}

const degrees = ({ latitude, longitude }: Coordinates): Position => ({
  latitude: Number(latitude),
  longitude: Number(longitude),
})

/** That a place is being looked for, or why none was found. */
function Outcome({
  query: { error, isFetching, refetch },
}: {
  query: { error: unknown; isFetching: boolean; refetch: () => unknown }
}) {
  if (isFetching) return <Spinner label="Searching" className="px-3 py-1.5" />
  if (!error) return null
  return (
    <p className="flex flex-wrap items-center gap-2 px-3 py-1.5 text-sm text-muted">
      <span>{errorMessage(error)}</span>
      {isRetryable(error) && (
        <Button size="small" onClick={() => refetch()}>
          Try again
        </Button>
      )}
    </p>
  )
}
