import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { flightQuery } from '../../api/flights.ts'
import type { FlightDetails, TrackPoint } from '../../api/types.ts'
import { metresOf, type Position, wrap } from '../../lib/geography.ts'
import { headingFrom } from '../../lib/heading.ts'
import { FLIGHT_SHIFTS, remember, rememberedValue } from '../../lib/remember.ts'
import type { GroundShift } from '../../map/ground/ground-shift.tsx'
import { usePlacing } from '../../photos/browser/use-placing.ts'
import { formatHeight } from '../../photos/photo-facts.ts'
import { useSettings } from '../../photos/use-settings.ts'

/** Where the photos of a flight were before its first shift, by their ids. */
type Places = Record<number, Position>

/** The places of shifted flights, by the flights' ids. */
function rememberedShifts(): Record<number, Places> {
  return rememberedValue(FLIGHT_SHIFTS, 'sessionStorage') ?? {}
}

function rememberShift(flightId: number, places: Places | undefined): void {
  remember(FLIGHT_SHIFTS, JSON.stringify({ ...rememberedShifts(), [flightId]: places }), 'sessionStorage')
}

/** Photos at the beginning of a flight that may have been corrected since its shift. */
const MOST_CORRECTED = 20
/** The server keeps seven decimals. */
const SAME = 2e-7

/**
 * Shifts the positions of all photos of a flight by the same way; the files keep theirs. This tab remembers where they were, so that
 * a shift can be undone later, too. Undefined for a flight of which not all photos are known.
 */
export function useFlightShift({ id, track, photoCount }: FlightDetails): GroundShift | undefined {
  const client = useQueryClient()
  const { units } = useSettings()
  const { place, running } = usePlacing()
  const before = useMemo(() => shiftSince(rememberedShifts()[id] ?? null, track), [id, track])
  if (track.length < photoCount) return undefined

  function describe(by: Position): string {
    const { east, north } = metresOf(by, track[0]?.latitude ?? 0)
    const heading = (Math.atan2(east, north) * 180) / Math.PI
    return `${formatHeight(Math.hypot(east, north), units)} to the ${headingFrom(heading).direction.toLowerCase()}`
  }

  function placeAll(places: Places, message: { title: string; description?: string }, onDone: () => void): void {
    const positions = track.flatMap((point) => {
      const position = places[point.photoId]
      return position ? [{ id: point.photoId, position, from: positionOf(point) }] : []
    })
    place({
      positions,
      message,
      onPlaced() {
        onDone()
        client.invalidateQueries(flightQuery(id))
      },
    })
  }

  return {
    describe,
    running: running !== null,
    before: before && describe(before.way),
    apply(by, onDone) {
      if (!before) rememberShift(id, placesOf(track, positionOf))
      const places = placesOf(track, (point) => moved(point, by))
      placeAll(places, { title: 'Flight shifted', description: describe(by) }, onDone)
    },
    undo: () => before && placeAll(before.places, { title: 'Shift undone' }, () => rememberShift(id, undefined)),
  }
}

const positionOf = ({ latitude, longitude }: Position): Position => ({ latitude, longitude })

function placesOf(track: readonly TrackPoint[], place: (point: TrackPoint) => Position): Places {
  return Object.fromEntries(track.map((point) => [point.photoId, place(point)]))
}

function moved({ latitude, longitude }: Position, by: Position): Position {
  return { latitude: latitude + by.latitude, longitude: wrap(longitude + by.longitude) }
}

/**
 * The way by which remembered photos were moved, in degrees, and where those were that were moved by it: most of them, since single ones may
 * have been corrected. Null if there is no such way.
 */
export function shiftSince(
  places: Places | null,
  track: readonly (Position & { photoId: number })[],
): { way: Position; places: Places } | null {
  const moves = track.flatMap(({ photoId, latitude, longitude }) => {
    const before = places?.[photoId]
    if (!before || isSame(before, { latitude, longitude })) return []
    const way = { latitude: latitude - before.latitude, longitude: wrap(longitude - before.longitude) }
    return [{ photoId, before, way }]
  })
  for (const { way } of moves.slice(0, MOST_CORRECTED)) {
    const shifted = moves.filter((move) => isSame(move.way, way))
    if (shifted.length * 2 <= moves.length) continue
    return { way, places: Object.fromEntries(shifted.map(({ photoId, before }) => [photoId, before])) }
  }
  return null
}

function isSame(one: Position, other: Position): boolean {
  return Math.abs(one.latitude - other.latitude) < SAME && Math.abs(wrap(one.longitude - other.longitude)) < SAME
}
