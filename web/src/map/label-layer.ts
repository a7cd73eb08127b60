import L from 'leaflet'
import { coloursOf, columnOf, levelAt, MAX_DENSITY, tilesBetween } from './base-layer.ts'
import { type BaseTiles, type FoundTile, isTooCoarse, type Kind, type Label } from './base-tiles.ts'
import { type Box, clipLine, EXTENT, joinLines, meets, placeAlong, type TextPlace } from './tile-geometry.ts'

/** Beyond the window, as a part of its size: names are there while the map is dragged. */
const PADDING = 0.25
const FAMILY = '"Inter Variable", system-ui, sans-serif'
const FONTS: Record<Label['kind'] | 'road', string> = {
  country: `600 13px ${FAMILY}`,
  region: `600 12px ${FAMILY}`,
  county: `400 11px ${FAMILY}`,
  locality: `500 12px ${FAMILY}`,
  neighbourhood: `500 11px ${FAMILY}`,
  water: `italic 400 11px ${FAMILY}`,
  road: `400 11px ${FAMILY}`,
}
const LINE = 14
const HALO = 3
/** Between two names, in pixels. */
const GAP = 10
/** Roads have their names from these zooms of the tiles on, the wider ones first. */
const ROADS: [kind: Kind, zoom: number][] = [
  ['highway', 12],
  ['major', 13],
  ['minor', 14],
  ['service', 15],
  ['path', 15],
]
/** Pixels between two names of the same road. */
const REPEATED = 350

/** A text with its middle on the canvas. */
interface Text extends TextPlace {
  kind: keyof typeof FONTS
  name: string
}

/** A tile with its corner and its width in pixels of the map. */
interface ShownTile extends FoundTile {
  left: number
  top: number
  side: number
}

/** The names of places and roads, on one canvas over the whole window, so that none is cut off and none covers another. */
export class LabelLayer extends L.Layer {
  declare options: L.LayerOptions & { tiles: BaseTiles }
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
    this.#shownTiles().then((tiles) => own === this.#drawing && requestAnimationFrame(() => this.#draw(tiles)))
  }

  #margin(): L.Point {
    return this._map.getSize().multiplyBy(PADDING).round()
  }

  /** The tiles that show the window and what is around it, each once for each copy of the world. */
  async #shownTiles(): Promise<ShownTile[]> {
    const zoom = this._map.getZoom()
    const { z, side: wide } = levelAt(zoom)
    const bounds = this._map.getPixelBounds()
    const first = (bounds.min as L.Point).subtract(this.#margin())
    const last = (bounds.max as L.Point).add(this.#margin())
    const found = await Promise.all(
      tilesBetween(first, last, zoom).map(async (wanted) => {
        const column = columnOf(wanted)
        const source = await this.options.tiles.find(z, column, wanted.y).catch(() => null) // The base layer says it.
        if (!source) return []
        const side = wide * 2 ** (z - source.z)
        const left = source.x * side + (wanted.x - column) * wide
        return [{ ...source, left, top: source.y * side, side }]
      }),
    )
    return [...new Map(found.flat().map((tile) => [`${tile.z} ${tile.left} ${tile.top}`, tile])).values()]
  }

  #draw(tiles: ShownTile[]): void {
    const map = this._map
    if (!map) return
    const margin = this.#margin()
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
    context.scale(density, density)
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.lineJoin = 'round'
    context.lineWidth = HALO
    context.strokeStyle = colour('--map-halo')
    const origin = (map.getPixelBounds().min as L.Point).subtract(margin)
    const widthOf = ({ kind, name }: Pick<Text, 'kind' | 'name'>) => {
      context.font = FONTS[kind]
      return context.measureText(name).width
    }
    const level = levelAt(map.getZoom()).z
    const texts = [...placeTexts(tiles, level, origin, size), ...roadTexts(tiles, level, origin, size, widthOf)]
    for (const text of withRoom(texts, widthOf)) {
      context.font = FONTS[text.kind]
      context.fillStyle = colour(text.kind === 'water' ? '--map-water-label' : '--map-label')
      context.save()
      context.translate(text.x, text.y)
      context.rotate(text.angle)
      context.strokeText(text.name, 0, 0)
      context.fillText(text.name, 0, 0)
      context.restore()
    }
  }
}

/** The names of places on the canvas, the most important first. */
function placeTexts(tiles: ShownTile[], zoom: number, origin: L.Point, size: L.Point): Text[] {
  return tiles
    .flatMap(({ tile, left, top, side }) =>
      tile.labels
        .filter(({ from }) => from <= zoom)
        .map((label) => ({
          ...label,
          x: left + (label.x / EXTENT) * side - origin.x,
          y: top + (label.y / EXTENT) * side - origin.y,
          angle: 0,
        })),
    )
    .filter(({ x, y }) => x > 0 && x < size.x && y > 0 && y < size.y)
    .sort((a, b) => a.from - b.from || b.rank - a.rank)
}

/** The names along roads where a stretch on the canvas has room for them. */
function roadTexts(
  tiles: ShownTile[],
  zoom: number,
  origin: L.Point,
  size: L.Point,
  widthOf: (text: Pick<Text, 'kind' | 'name'>) => number,
): Text[] {
  const texts: Text[] = []
  for (const [road] of ROADS.filter(([, from]) => zoom >= from)) {
    for (const { tile, z, left, top, side } of tiles) {
      if (isTooCoarse(z, zoom)) continue
      const scale = side / EXTENT
      const window: Box = [
        (origin.x - left) / scale,
        (origin.y - top) / scale,
        (origin.x + size.x - left) / scale,
        (origin.y + size.y - top) / scale,
      ]
      const near = (tile.shapes.get(road) ?? []).filter(({ name, box }) => name && meets(box, window))
      for (const [name, shapes] of Map.groupBy(near, (shape) => shape.name)) {
        const width = widthOf({ kind: 'road', name })
        for (const line of joinLines(shapes.flatMap(({ lines }) => lines)).flatMap((whole) =>
          clipLine(whole, window),
        )) {
          const pixels = line.map((value, at) => (at % 2 ? top - origin.y : left - origin.x) + value * scale)
          const place = placeAlong(pixels, width + GAP)
          if (place) texts.push({ kind: 'road', name, ...place })
        }
      }
    }
  }
  return texts
}

/** The texts that cover none of those before them. */
function withRoom(texts: Text[], widthOf: (text: Text) => number): Text[] {
  const taken: L.Bounds[] = []
  const roads = new Map<string, Text[]>()
  return texts.filter((text) => {
    const before = roads.get(text.name) ?? []
    if (text.kind === 'road' && before.some(({ x, y }) => Math.hypot(x - text.x, y - text.y) < REPEATED)) return false
    const boxes = boxesOf(text, widthOf(text))
    if (taken.some((other) => boxes.some((box) => other.intersects(box)))) return false
    taken.push(...boxes)
    if (text.kind === 'road') roads.set(text.name, [...before, text])
    return true
  })
}

/** What a text covers: one box, or a row of squares along a slope. */
function boxesOf({ x, y, angle }: Text, width: number): L.Bounds[] {
  const half = width / 2 + GAP
  if (angle === 0) return [L.bounds([x - half, y - LINE], [x + half, y + LINE])]
  const count = Math.ceil((2 * half) / LINE)
  return Array.from({ length: count }, (_, index) => {
    const along = -half + ((index + 0.5) * 2 * half) / count
    const [cx, cy] = [x + Math.cos(angle) * along, y + Math.sin(angle) * along]
    return L.bounds([cx - LINE / 2, cy - LINE / 2], [cx + LINE / 2, cy + LINE / 2])
  })
}
