import L from 'leaflet'
import { ENOUGH_PIXELS } from '../../components/renditions.ts'
import { EARTH_RADIUS, type Position } from '../../lib/geography.ts'
import { MAX_DENSITY } from '../base-layer.ts'
import { distance, type PlacedPicture, type Point, placePicture } from './draw-picture.ts'
import type { Drawn, GroundPicture } from './ground-picture.ts'
import type { DrawAnswer, DrawRequest } from './ground-worker.ts'
import { withoutHidden } from './hidden-pictures.ts'
import { MAX_PIXELS } from './picture-loader.ts'

/** A photo that lies on the ground. */
export interface GroundPhoto extends Drawn {
  picture: GroundPicture
  /** Width divided by height. */
  aspect: number
  /** The widths of its renditions in pixels, and their addresses; the narrowest first. */
  renditions: readonly (readonly [width: number, url: string])[]
}

/** What the layer shows in the window. */
export interface ShownPictures {
  count: number
  /** Those that could not be loaded. */
  failed: number
  /** Those that are still being loaded. */
  waiting: number
  /** Further ones are too small to be drawn. */
  hasSmall: boolean
}

/** A picture that is narrower says nothing: CSS pixels. */
const MIN_WIDTH = 16
/** What is drawn beyond the window, as a part of its size: pictures are there while the map is dragged. */
const PADDING = 0.25

interface Placed extends PlacedPicture {
  photo: GroundPhoto
  /** Its longest edge in pixels of the canvas. */
  width: number
}

/** Where a canvas is: its upper left corner in pixels of the map at a zoom. */
interface Place {
  number: number
  zoom: number
  corner: L.Point
  /** In CSS pixels. */
  size: L.Point
}

/**
 * Pictures on the ground, on one canvas over the window. An element for each, with a transform of its own, would be simpler, but
 * with 200 of them browsers need tasks of 100 ms at each zoom. A worker draws it anew after each move; until it has, the old canvas is
 * moved and scaled with the map.
 */
export class GroundLayer extends L.Layer {
  readonly #onShown: (shown: ShownPictures) => void
  /** Nothing can be drawn: the worker could not be loaded. */
  readonly #onFailure: () => void
  readonly #element = document.createElement('div')
  #worker: Worker | null = null
  #photos: readonly GroundPhoto[] = []
  /** The places of the canvases that were requested and may be answered. */
  #requested: Place[] = []
  #shown: (Place & { canvas: HTMLCanvasElement }) | null = null
  #visible: Pick<ShownPictures, 'count' | 'hasSmall'> = { count: 0, hasSmall: false }
  /** Of all pictures, in pixels at zoom 0. */
  #shift = L.point(0, 0)

  constructor(onShown: (shown: ShownPictures) => void, onFailure: () => void) {
    super()
    this.#onShown = onShown
    this.#onFailure = onFailure
    this.#element.className = 'ground-pictures'
  }

  override onAdd(map: L.Map): this {
    const pane = map.getPane('ground') ?? map.createPane('ground')
    pane.append(this.#element)
    this.#worker = new Worker(new URL('./ground-worker.ts', import.meta.url), { type: 'module' })
    this.#worker.addEventListener('message', ({ data }: MessageEvent<DrawAnswer>) => this.#show(data))
    this.#worker.addEventListener('error', () => this.#onFailure())
    this.#draw()
    return this
  }

  override onRemove(): this {
    this.#worker?.terminate()
    this.#worker = null
    this.#requested = []
    this.#shown = null
    this.#element.replaceChildren()
    this.#element.remove()
    return this
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    return {
      zoomanim: (event) => this.#move((event as L.ZoomAnimEvent).zoom, (event as L.ZoomAnimEvent).center),
      zoom: () => this.#move(),
      viewreset: () => this.#move(),
      moveend: () => this.#draw(),
      resize: () => this.#draw(),
    }
  }

  /** Replaces the pictures, the lowest first. */
  setPhotos(photos: readonly GroundPhoto[]): void {
    this.#photos = photos
    if (this._map) this.#draw()
  }

  setOpacity(opacity: number): void {
    this.#element.style.opacity = String(opacity)
  }

  /** Tries the pictures again that could not be loaded. */
  retry(): void {
    this.#draw(true)
  }

  /** Shows all pictures away from their places, by pixels at zoom 0. */
  setShift(shift: L.Point): void {
    this.#shift = shift
    if (this._map) this.#move()
  }

  #move(zoom = this._map.getZoom(), center = this._map.getCenter()): void {
    if (!this.#shown) return
    const map = this._map
    const scale = map.getZoomScale(zoom, this.#shown.zoom)
    const window = map.project(center, zoom).subtract(map.getSize().divideBy(2))
    const shift = this.#shift.multiplyBy(map.getZoomScale(zoom, 0))
    const corner = this.#shown.corner.multiplyBy(scale).add(shift).subtract(window)
    L.DomUtil.setTransform(this.#shown.canvas, map.containerPointToLayerPoint(corner).round(), scale)
  }

  #draw(retry = false): void {
    const map = this._map
    const margin = map.getSize().multiplyBy(PADDING).round()
    const window = map.getPixelBounds()
    const corner = (window.min as L.Point).subtract(margin)
    const size = map.getSize().add(margin.multiplyBy(2))
    const number = (this.#requested.at(-1)?.number ?? this.#shown?.number ?? 0) + 1
    this.#requested.push({ number, zoom: map.getZoom(), corner, size })

    const density = Math.min(devicePixelRatio, MAX_DENSITY)
    const canvas = { width: size.x * density, height: size.y * density }
    const placed = this.#photos.map((photo) => this.#place(photo, corner, density))
    const large = placed.filter(({ width }) => width >= MIN_WIDTH * density)
    const pictures = withRenditions(withoutHidden(large, canvas))
    this.#worker?.postMessage({ number, ...canvas, pictures, retry } satisfies DrawRequest)

    const isVisible = ({ corners }: Placed) => {
      const box = L.bounds(corners.map(({ x, y }) => L.point(x, y).divideBy(density)))
      return box.overlaps(L.bounds(margin, margin.add(map.getSize())))
    }
    const [shown, all] = [large, placed].map((some) => some.filter(isVisible).length) as [number, number]
    this.#visible = { count: shown, hasSmall: shown < all }
  }

  #place(photo: GroundPhoto, corner: L.Point, density: number): Placed {
    const { position } = photo.picture
    const map = this._map
    const camera = map.project(nearestCopy(position, map.getCenter())).subtract(corner).multiplyBy(density)
    const placed = placePicture(photo.picture, camera, pixelsPerMetre(position, map.getZoom()) * density)
    const edges = placed.corners.map((one, index) => distance(one, placed.corners.at(index - 1) as Point))
    return { ...placed, photo, width: Math.max(...edges) }
  }

  #show({ number, drawn, failed, waiting }: DrawAnswer): void {
    const place = this.#requested.find((one) => one.number === number) ?? this.#shown
    // A later one is shown already.
    if (place?.number !== number) {
      drawn.close()
      return
    }
    this.#requested = this.#requested.filter((one) => one.number > number)
    const canvas = document.createElement('canvas')
    canvas.className = 'ground-canvas leaflet-zoom-animated'
    canvas.width = drawn.width
    canvas.height = drawn.height
    canvas.style.width = `${place.size.x}px`
    canvas.style.height = `${place.size.y}px`
    canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(drawn)
    this.#element.replaceChildren(canvas)
    this.#shown = { ...place, canvas }
    this.#move()
    this.#onShown({ ...this.#visible, failed, waiting })
  }
}

/** On that copy of a repeated world that is nearest to what the map shows. */
function nearestCopy({ latitude, longitude }: Position, center: L.LatLng): L.LatLng {
  return L.latLng(latitude, longitude + 360 * Math.round((center.lng - longitude) / 360))
}

function pixelsPerMetre({ latitude }: Position, zoom: number): number {
  return L.CRS.EPSG3857.scale(zoom) / (2 * Math.PI * EARTH_RADIUS * Math.cos((latitude * Math.PI) / 180))
}

/** The rendition of each picture that has the pixels of its width; of the lower ones a smaller one where all would be too large. */
function withRenditions(pictures: readonly Placed[]): DrawRequest['pictures'] {
  let pixels = 0
  const chosen = pictures.toReversed().flatMap(({ photo, width, ...placed }) => {
    const { renditions, aspect } = photo
    const needed = pixels < MAX_PIXELS ? width * Math.min(1, aspect) * ENOUGH_PIXELS : 0
    const [wide, url] = renditions.find(([pixelsWide]) => pixelsWide >= needed) ?? renditions.at(-1) ?? [0, '']
    pixels += wide ** 2 / aspect
    if (pixels > 2 * MAX_PIXELS) return []
    return [{ placed, url, others: renditions.map(([, other]) => other).toReversed() }]
  })
  return chosen.reverse()
}
