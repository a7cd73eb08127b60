import L from 'leaflet'
import {
  type BaseTile,
  type BaseTiles,
  type Box,
  clipRing,
  EXTENT,
  type Label,
  meets,
  type Shape,
} from './base-tiles.ts'
import type { Tile } from './points.ts'

/** The side of a tile in CSS pixels. */
export const TILE_SIZE = 512
/** A denser canvas would cost more than anybody sees. */
const MAX_DENSITY = 2
/** What is drawn beyond the tile, in pixels: a line at its edge is as wide as in the middle. */
const MARGIN = 8
/** Farther in, the map has no ground: coasts are known within 300 m, which are a hundred pixels there and would put a beach into the sea. */
const MAX_ZOOM = 15

interface BaseLayerOptions extends L.GridLayerOptions {
  tiles: BaseTiles
  /** The deepest level of tiles; farther in, their parts are drawn larger. */
  maxTileZoom: number
  /** A tile could not be read. */
  onError: () => void
}

/** One tile is drawn between two frames, so that no task is long. */
const waiting: (() => void)[] = []

function drawInTurn(draw: () => void): void {
  waiting.push(draw)
  if (waiting.length === 1) requestAnimationFrame(drawNext)
}

function drawNext(): void {
  waiting[0]?.()
  waiting.shift()
  if (waiting.length > 0) requestAnimationFrame(drawNext)
}

/** Land and borders, drawn in the theme's colours. `redraw` takes the colours of another theme. */
export class BaseLayer extends L.GridLayer {
  declare options: BaseLayerOptions

  constructor(options: BaseLayerOptions) {
    super({ tileSize: TILE_SIZE, keepBuffer: 1, minZoom: 1, maxZoom: MAX_ZOOM, ...options } as BaseLayerOptions)
  }

  protected override createTile(coords: L.Coords, done: L.DoneCallback): HTMLElement {
    const canvas = document.createElement('canvas')
    const { tiles, maxTileZoom, onError } = this.options
    // Leaflet's levels are those of tiles half as wide.
    const depth = Math.max(0, coords.z - 1 - maxTileZoom)
    const part = 2 ** depth
    const [x, y] = [Math.floor(coords.x / part), Math.floor(coords.y / part)]
    tiles.get(coords.z - 1 - depth, x, y).then(
      (tile) =>
        drawInTurn(() => {
          drawTile(canvas, tile, [coords.x - x * part, coords.y - y * part], part)
          done(undefined, canvas)
        }),
      (error: Error) => {
        onError()
        done(error, canvas)
      },
    )
    return canvas
  }
}

/** Draws the part at a column and a row of a tile that has `parts` of them on each side. */
function drawTile(canvas: HTMLCanvasElement, tile: BaseTile, [column, row]: [number, number], parts: number): void {
  const density = Math.min(devicePixelRatio, MAX_DENSITY)
  canvas.width = TILE_SIZE * density
  canvas.height = TILE_SIZE * density
  const context = canvas.getContext('2d')
  if (!context) return
  const size = EXTENT / parts
  const scale = (TILE_SIZE * density) / size
  const margin = MARGIN / (TILE_SIZE / size)
  const [left, top] = [column * size, row * size]
  const box: Box = [left - margin, top - margin, left + size + margin, top + size + margin]
  const colour = coloursOf(canvas)

  // Where a tile is still to come there is neither water nor land.
  context.fillStyle = colour('--map-water')
  context.fillRect(0, 0, canvas.width, canvas.height)

  const linesOf = (shapes: Shape[]) => shapes.filter((shape) => meets(shape.box, box)).flatMap(({ lines }) => lines)
  const moveTo = (x: number, y: number) => context.moveTo((x - left) * scale, (y - top) * scale)
  const lineTo = (x: number, y: number) => context.lineTo((x - left) * scale, (y - top) * scale)

  const fill = (shapes: Shape[], name: string) => {
    context.beginPath()
    for (const ring of linesOf(shapes)) {
      const inside = parts === 1 ? ring : clipRing(ring, box)
      for (let at = 0; at < inside.length; at += 2) {
        const draw = at === 0 ? moveTo : lineTo
        draw(inside[at] as number, inside[at + 1] as number)
      }
      context.closePath()
    }
    context.fillStyle = colour(name)
    context.fill()
  }

  /** Only the segments near the part: far away ones have coordinates that a canvas cannot tell apart. */
  const stroke = (shapes: Shape[], name: string, width: number) => {
    context.beginPath()
    for (const line of linesOf(shapes)) {
      let isOpen = false
      for (let at = 2; at < line.length; at += 2) {
        const [fromX, fromY] = [line[at - 2] as number, line[at - 1] as number]
        const [x, y] = [line[at] as number, line[at + 1] as number]
        const isNear = meets([Math.min(fromX, x), Math.min(fromY, y), Math.max(fromX, x), Math.max(fromY, y)], box)
        if (isNear && !isOpen) moveTo(fromX, fromY)
        if (isNear) lineTo(x, y)
        isOpen = isNear
      }
    }
    context.strokeStyle = colour(name)
    context.lineWidth = width * density
    context.stroke()
  }

  fill(tile.land, '--map-land')
  fill(tile.water, '--map-water')
  fill(tile.shores, '--map-land')
  context.lineJoin = 'round'
  stroke(tile.county, '--map-county', 1)
  stroke(tile.state, '--map-state', 1)
  stroke(tile.country, '--map-country', 1.5)
}

/** The values of the theme's colours. A canvas that is not in the page yet has none of its own. */
function coloursOf(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element.isConnected ? element : document.documentElement)
  return (name) => style.getPropertyValue(name).trim()
}

/** The tiles of a level, `side` pixels wide, that have a part between two pixels of the map: also of a repeated world. */
export function tilesBetween(first: L.Point, last: L.Point, z: number, side: number): Tile[] {
  const tiles: Tile[] = []
  const bottom = Math.min(2 ** z - 1, Math.floor(last.y / side))
  for (let y = Math.max(0, Math.floor(first.y / side)); y <= bottom; y += 1) {
    for (let x = Math.floor(first.x / side); x <= Math.floor(last.x / side); x += 1) tiles.push({ z, x, y })
  }
  return tiles
}

/** The column of a tile in the world that is not repeated. */
export function columnOf({ z, x }: Tile): number {
  const count = 2 ** z
  return ((x % count) + count) % count
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

/** The names of places, on one canvas over the whole window, so that none is cut off and none covers another. */
export class LabelLayer extends L.Layer {
  declare options: L.LayerOptions & Pick<BaseLayerOptions, 'tiles' | 'maxTileZoom'>
  readonly #canvas = document.createElement('canvas')
  #drawing = 0

  constructor(options: LabelLayer['options']) {
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
    const requests = tilesBetween(first, last, z, side).map((tile) =>
      this.options.tiles.get(z, columnOf(tile), tile.y).then(
        ({ labels }) =>
          labels
            .filter(({ from }) => from <= zoom - 1)
            .map((label) => ({
              label,
              at: L.point(tile.x + label.x / EXTENT, tile.y + label.y / EXTENT).multiplyBy(side),
            }))
            .filter(({ at }) => at.x > first.x && at.x < last.x && at.y > first.y && at.y < last.y),
        () => [], // The base layer says it.
      ),
    )
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
