import L from 'leaflet'
import type { Position } from '../lib/geography.ts'
import { columnOf, tilesBetween } from './base-layer.ts'
import { worldWidth } from './map-surface.tsx'
import { nameOf, type PlacedPoint, type PointSource, placeOf, placePoint } from './points.ts'

/** Pixels. */
const SIZE = 48
/** So many markers are made between two frames, so that no task is long. */
const MARKERS_PER_FRAME = 25

export interface PointLayerHandlers {
  /** A click, Enter or Space on a marker. */
  onOpen: (point: PlacedPoint) => void
  /** One photo was dragged to another position. */
  onMove: (point: PlacedPoint, to: Position) => void
  /** All markers of the window are there, in reading order. */
  onShown: (points: PlacedPoint[]) => void
  /** Some tiles could not be read; null after a success. */
  onError: (error: unknown) => void
  onLoading: (loading: boolean) => void
  /** The pointer or the focus is on a marker; null when it left. */
  onHover: (point: PlacedPoint | null) => void
}

/** How the markers look and behave besides their points. */
export interface MarkerState {
  isSelected: (photoId: number) => boolean
  /** Single photos can be dragged. */
  movable: boolean
}

interface Shown {
  point: PlacedPoint
  marker: L.Marker
}

/**
 * The photos of the window as markers. They are made again only where points have changed; those of another zoom stay
 * until the new ones are there. One marker is a stop of the Tab key; arrow keys go to the next one in their direction.
 */
export class PointLayer extends L.Layer {
  readonly #handlers: PointLayerHandlers
  #source: PointSource
  #state: MarkerState = { isSelected: () => false, movable: false }
  #shown = new Map<string, Shown>()
  #reading = 0

  constructor(source: PointSource, handlers: PointLayerHandlers) {
    super()
    this.#source = source
    this.#handlers = handlers
  }

  override onAdd(): this {
    this.#read()
    return this
  }

  override onRemove(): this {
    this.#reading += 1
    for (const { marker } of this.#shown.values()) marker.remove()
    this.#shown.clear()
    return this
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    return { moveend: () => this.#read() }
  }

  /** Shows the points of another source, or reads those of the same one again. */
  setSource(source: PointSource): void {
    this.#source = source
    if (this._map) this.#read()
  }

  setState(state: MarkerState): void {
    this.#state = state
    for (const shown of this.#shown.values()) this.#applyState(shown)
  }

  /** Makes the marker of a point stand out, or none. */
  emphasize(key: string | null): void {
    for (const [own, { marker }] of this.#shown) marker.getElement()?.classList.toggle('emphasized', own === key)
  }

  async #read(): Promise<void> {
    this.#reading += 1
    const own = this.#reading
    const isCurrent = () => own === this.#reading
    this.#handlers.onLoading(true)
    const { lng: middle } = this._map.getCenter()
    const [first, last] = windowOf(this._map)
    const tiles = tilesBetween(first, last, this._map.getZoom())
    const results = await Promise.allSettled(
      tiles.map(async (tile) => {
        const points = await this.#source.tile(tile.z, columnOf(tile), tile.y)
        const placed = points.map((point) => placePoint(tile, point))
        return placed.filter(({ position: { longitude } }) => longitude > middle - 180 && longitude <= middle + 180)
      }),
    )
    if (!isCurrent()) return
    const points = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const failure = results.find((result) => result.status === 'rejected')
    this.#handlers.onError(failure?.reason ?? null)
    await this.#show(points.sort(inReadingOrder), isCurrent)
    if (!isCurrent()) return
    this.#handlers.onLoading(false)
    this.#handlers.onShown(points)
  }

  /** Adds what is missing, some markers at a time, and then removes the others. */
  async #show(points: PlacedPoint[], isCurrent: () => boolean): Promise<void> {
    const wanted = new Map(points.map((point) => [point.key, point]))
    let added = 0
    for (const [key, point] of wanted) {
      const known = this.#shown.get(key)
      if (known) {
        known.point = point
        // It may have been dragged in vain.
        if (!isDragged(known)) known.marker.setLatLng([point.position.latitude, point.position.longitude])
        continue
      }
      if (added > 0 && added % MARKERS_PER_FRAME === 0) await new Promise(requestAnimationFrame)
      if (!isCurrent()) return
      added += 1
      this.#add(point)
    }
    for (const [key, shown] of this.#shown) {
      if (wanted.has(key) || isDragged(shown)) continue
      const { marker } = shown
      // The focus must not be lost with it.
      if (marker.getElement() === document.activeElement) this._map.getContainer().focus({ preventScroll: true })
      marker.remove()
      this.#shown.delete(key)
    }
    this.#setTabStop(document.activeElement)
  }

  #add(point: PlacedPoint): void {
    const { latitude, longitude } = point.position
    const marker = L.marker([latitude, longitude], { icon: new PhotoIcon(point), autoPan: true, keyboard: false })
    const shown = { point, marker }
    this.#shown.set(point.key, shown)
    marker.on('click', () => this.#handlers.onOpen(shown.point))
    marker.on('mouseover focus', () => this.#handlers.onHover(shown.point))
    marker.on('mouseout', () => this.#handlers.onHover(null))
    marker.on('dragend', () => {
      const { lat, lng } = marker.getLatLng()
      this.#handlers.onMove(shown.point, { latitude: lat, longitude: lng })
    })
    marker.addTo(this._map)
    const element = marker.getElement()
    element?.addEventListener('keydown', (event) => this.#press(event, shown))
    element?.addEventListener('focus', () => {
      this.#setTabStop(element)
      this.#handlers.onHover(shown.point)
    })
    element?.addEventListener('blur', () => this.#handlers.onHover(null))
    this.#applyState(shown)
  }

  #applyState({ point, marker }: Shown): void {
    const element = marker.getElement()
    if (!element) return
    const isOne = point.count === 1
    const selected = isOne && this.#state.isSelected(point.photo.id)
    const movable = isOne && this.#state.movable
    element.classList.toggle('selected', selected)
    element.classList.toggle('movable', movable)
    element.setAttribute('aria-label', labelOf(point, selected))
    if (movable) marker.dragging?.enable()
    else marker.dragging?.disable()
  }

  #setTabStop(element: Element | null): void {
    const elements = [...this.#shown.values()].map(({ marker }) => marker.getElement())
    const stop = elements.find((one) => one === element) ?? elements[0]
    for (const one of elements) if (one) one.tabIndex = one === stop ? 0 : -1
  }

  #press(event: KeyboardEvent, shown: Shown): void {
    const direction = DIRECTIONS[event.key]
    if (event.key === 'Enter' || event.key === ' ') this.#handlers.onOpen(shown.point)
    else if (event.key === '+' || event.key === '=') this._map.zoomIn()
    else if (event.key === '-') this._map.zoomOut()
    else if (direction) this.#nextTo(shown, direction)?.marker.getElement()?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /** The nearest marker in a direction: what is aside counts twice. */
  #nextTo(from: Shown, [right, down]: readonly [number, number]): Shown | undefined {
    const place = ({ marker }: Shown) => this._map.latLngToLayerPoint(marker.getLatLng())
    const start = place(from)
    let [next, least] = [undefined as Shown | undefined, Number.POSITIVE_INFINITY]
    for (const shown of this.#shown.values()) {
      const way = place(shown).subtract(start)
      const ahead = way.x * right + way.y * down
      const aside = Math.abs(way.x * down + way.y * right)
      if (shown === from || ahead <= 0 || ahead < aside / 2) continue
      if (ahead + 2 * aside < least) [next, least] = [shown, ahead + 2 * aside]
    }
    return next
  }
}

const DIRECTIONS: Record<string, readonly [right: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** 'DJI_0018, Duluth, Minnesota', '12 photos, Minnesota'. */
function labelOf(point: PlacedPoint, selected: boolean): string {
  return [nameOf(point), placeOf(point), selected && 'selected'].filter(Boolean).join(', ')
}

/** The corners of the window in pixels, without what repeats the world at its sides. */
function windowOf(map: L.Map): [first: L.Point, last: L.Point] {
  const { x, y } = map.getSize()
  const half = L.point(Math.min(x, worldWidth(map)), y).divideBy(2)
  const middle = map.project(map.getCenter())
  return [middle.subtract(half), middle.add(half)]
}

/** From north to south, and from west to east where they are beside each other. */
function inReadingOrder(one: PlacedPoint, other: PlacedPoint): number {
  return other.cell.north - one.cell.north || one.position.longitude - other.position.longitude
}

class PhotoIcon extends L.DivIcon {
  readonly #point: PlacedPoint

  constructor(point: PlacedPoint) {
    super({ className: 'photo-marker', iconSize: [SIZE, SIZE] })
    this.#point = point
  }

  override createIcon(): HTMLElement {
    const { count, photo } = this.#point
    const element = super.createIcon()
    element.setAttribute('role', 'button')
    const picture = photo.smallUrl ?? photo.thumbnailUrl
    if (picture !== null) {
      const image = document.createElement('img')
      image.alt = ''
      image.decoding = 'async'
      image.draggable = false
      // Without it the marker is an empty frame with its number.
      image.onerror = () => image.remove()
      image.src = picture
      element.append(image)
    }
    if (count > 1) {
      const badge = document.createElement('span')
      badge.className = 'count'
      badge.textContent = SHORT.format(count)
      element.append(badge)
    } else if (typeof photo.yaw === 'number') {
      const heading = document.createElement('span')
      heading.className = 'heading'
      heading.style.transform = `rotate(${photo.yaw}deg)`
      element.append(heading)
    }
    return element
  }
}

/** '12', '1.3K'. */
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** A marker that is being dragged must not vanish below the pointer. */
function isDragged({ marker }: Shown): boolean {
  return marker.getElement()?.classList.contains('leaflet-drag-target') === true
}
