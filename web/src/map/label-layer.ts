import L from 'leaflet'
import { coloursOf, TILE_SIZE } from './base-layer.ts'
import { type BaseTiles, EXTENT, type Label } from './base-tiles.ts'

interface LabelLayerOptions extends L.LayerOptions {
  tiles: BaseTiles
  maxTileZoom: number
}

/** Beyond the window, as a part of its size: names are there while the map is dragged. */
const PADDING = 0.25
const FAMILY = '"Inter Variable", system-ui, sans-serif'
const FONTS: Record<Label['kind'], string> = {
  country: `600 13px ${FAMILY}`,
  state: `600 12px ${FAMILY}`,
  county: `400 11px ${FAMILY}`,
  city: `500 12px ${FAMILY}`,
}
const LINE = 14
const HALO = 3
/** Between two names, in pixels. */
const GAP = 10
const MAX_DENSITY = 2

/** The names of places, on one canvas over the whole window, so that none is cut off and none covers another. */
export class LabelLayer extends L.Layer {
  declare options: LabelLayerOptions
  readonly #canvas = document.createElement('canvas')
  #drawing = 0

  constructor(options: LabelLayerOptions) {
    super()
    L.Util.setOptions(this, { pane: 'tilePane', ...options })
    this.#canvas.className = 'map-labels leaflet-zoom-hide'
    this.#canvas.style.zIndex = '2'
    this.#canvas.style.position = 'absolute'
  }

  override onAdd(): this {
    this.getPane()?.append(this.#canvas)
    this.redraw()
    return this
  }

  override onRemove(): this {
    this.#drawing += 1
    this.#canvas.remove()
    return this
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    return { moveend: () => this.redraw(), resize: () => this.redraw() }
  }

  /** Draws the names for the current part of the map, in the current theme's colours. */
  redraw(): void {
    this.#drawing += 1
    const own = this.#drawing
    this.#visible().then((places) => own === this.#drawing && requestAnimationFrame(() => this.#draw(places)))
  }

  /** The places in and around the window with their pixels on the map, the most important first. */
  async #visible(): Promise<{ label: Label; at: L.Point }[]> {
    const map = this._map
    const zoom = map.getZoom()
    const z = Math.min(zoom - 1, this.options.maxTileZoom)
    const side = TILE_SIZE * 2 ** (zoom - 1 - z)
    const bounds = map.getPixelBounds()
    const margin = map.getSize().multiplyBy(PADDING)
    const first = (bounds.min as L.Point).subtract(margin)
    const last = (bounds.max as L.Point).add(margin)
    const count = 2 ** z
    const requests: Promise<{ label: Label; at: L.Point }[]>[] = []
    for (let y = Math.max(0, Math.floor(first.y / side)); y <= Math.min(count - 1, Math.floor(last.y / side)); y += 1) {
      for (let x = Math.floor(first.x / side); x <= Math.floor(last.x / side); x += 1) {
        const read = this.options.tiles.get(z, ((x % count) + count) % count, y).then(
          ({ labels }) =>
            labels
              .filter(({ from }) => from <= zoom - 1)
              .map((label) => ({ label, at: L.point(x + label.x / EXTENT, y + label.y / EXTENT).multiplyBy(side) }))
              .filter(({ at }) => at.x > first.x && at.x < last.x && at.y > first.y && at.y < last.y),
          () => [], // The base layer says it.
        )
        requests.push(read)
      }
    }
    return (await Promise.all(requests)).flat().sort((a, b) => a.label.from - b.label.from)
  }

  #draw(places: { label: Label; at: L.Point }[]): void {
    const map = this._map
    if (!map) return
    const margin = map.getSize().multiplyBy(PADDING).round()
    const size = map.getSize().add(margin.multiplyBy(2))
    const density = Math.min(devicePixelRatio, MAX_DENSITY)
    const canvas = this.#canvas
    canvas.width = size.x * density
    canvas.height = size.y * density
    canvas.style.width = `${size.x}px`
    canvas.style.height = `${size.y}px`
    L.DomUtil.setPosition(canvas, map.containerPointToLayerPoint(margin.multiplyBy(-1)))
    const context = canvas.getContext('2d')
    if (!context) return
    const colour = coloursOf(canvas)
    const origin = (map.getPixelBounds().min as L.Point).subtract(margin)
    context.scale(density, density)
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.lineJoin = 'round'
    context.lineWidth = HALO
    context.strokeStyle = colour('--map-land')
    context.fillStyle = colour('--map-label')
    const taken: L.Bounds[] = []
    for (const { label, at } of places) {
      const { x, y } = at.subtract(origin)
      context.font = FONTS[label.kind]
      const half = context.measureText(label.name).width / 2 + GAP
      const box = L.bounds([x - half, y - LINE], [x + half, y + LINE])
      if (taken.some((other) => other.intersects(box))) continue
      taken.push(box)
      context.strokeText(label.name, x, y)
      context.fillText(label.name, x, y)
    }
  }
}
