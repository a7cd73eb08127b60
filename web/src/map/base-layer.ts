import L from 'leaflet'
import { type BaseTiles, type FoundTile, isTooCoarse, type Kind, type Shape } from './base-tiles.ts'
import type { Tile } from './points.ts'
import { type Box, clipLine, clipRing, EXTENT, meets } from './tile-geometry.ts'

/** The side of a tile in CSS pixels. */
const TILE_SIZE = 512
/** A denser canvas would cost more than anybody sees. */
export const MAX_DENSITY = 2
/** What is drawn beyond the tile, in pixels: a line at its edge is as wide as in the middle. */
const MARGIN = 16

interface BaseLayerOptions extends L.GridLayerOptions {
  tiles: BaseTiles
  /** A tile could not be read. */
  onError: () => void
  /** All tiles in the window are drawn; `isBlank`: none has anything to show of streets. */
  onDrawn: (isBlank: boolean) => void
}

/** One tile is drawn between two frames, so that no task is long. */
const waiting: (() => void)[] = []

function drawInTurn(draw: () => void): void {
  waiting.push(draw)
  if (waiting.length === 1) requestAnimationFrame(drawNext)
}

function drawNext(): void {
  const draw = waiting.shift()
  if (waiting.length > 0) requestAnimationFrame(drawNext)
  draw?.()
}

/** Land, water, streets and borders, drawn in the theme's colours. `redraw` takes the colours of another theme. */
export class BaseLayer extends L.GridLayer {
  declare options: BaseLayerOptions
  readonly #blank = new WeakSet<HTMLElement>()

  constructor(options: BaseLayerOptions) {
    super({ tileSize: TILE_SIZE, keepBuffer: 1, minNativeZoom: 1, ...options } as BaseLayerOptions)
    this.on('load', () => options.onDrawn(this.#isBlank()))
  }

  protected override createTile(coords: L.Coords, done: L.DoneCallback): HTMLElement {
    const canvas = document.createElement('canvas')
    const { tiles, onError } = this.options
    // Leaflet's levels are those of tiles half as wide.
    const z = coords.z - 1
    tiles.find(z, coords.x, coords.y).then(
      (found) =>
        drawInTurn(() => {
          if (isTooCoarse(found.z, z)) this.#blank.add(canvas)
          drawTile(canvas, found, { z, x: coords.x, y: coords.y })
          done(undefined, canvas)
        }),
      (error: Error) => {
        onError()
        done(error, canvas)
      },
    )
    return canvas
  }

  #isBlank(): boolean {
    const current = Object.values(this._tiles).filter((tile) => tile.current)
    return current.length > 0 && current.every(({ el }) => this.#blank.has(el))
  }
}

/** Widths in CSS pixels by the zoom of the tiles, between which they grow evenly; before the first there is nothing. */
type Widths = Record<number, number>

interface Style {
  color: string
  /** Of a line; absent: the shape is filled. */
  widths?: Widths
  /** Lengths of dashes and gaps. */
  dashes?: number[]
  /** A road has an outline of another colour. */
  isRoad?: true
}

/** In the order in which they are drawn; first the outlines of all roads, so that crossings are open. */
const STYLES: [Kind, Style][] = [
  ['earth', { color: '--map-land' }],
  ['green', { color: '--map-green' }],
  ['sand', { color: '--map-sand' }],
  ['built', { color: '--map-built' }],
  ['water', { color: '--map-water' }],
  ['stream', { color: '--map-water', widths: { 9: 0.6, 13: 1.5, 18: 8 } }],
  ['building', { color: '--map-building' }],
  ['runway', { color: '--map-road', widths: { 11: 1, 14: 8, 18: 60 } }],
  ['tunnel', { color: '--map-road-edge', widths: { 12: 0.7, 15: 2, 18: 4 }, dashes: [4, 4] }],
  ['path', { color: '--map-path', widths: { 13: 0.6, 15: 1.2, 18: 2.5 }, dashes: [5, 3] }],
  ['service', { color: '--map-road', widths: { 13: 0.7, 15: 3, 18: 12 }, isRoad: true }],
  ['minor', { color: '--map-road', widths: { 11: 0.5, 13: 1.8, 15: 6, 18: 20 }, isRoad: true }],
  ['major', { color: '--map-major', widths: { 8: 0.6, 11: 1.6, 13: 3, 15: 8, 18: 24 }, isRoad: true }],
  ['highway', { color: '--map-highway', widths: { 6: 0.8, 10: 2, 13: 4, 15: 9, 18: 28 }, isRoad: true }],
  ['rail', { color: '--map-rail', widths: { 11: 0.6, 15: 1.6, 18: 3 } }],
  ['county', { color: '--map-county', widths: { 0: 1 } }],
  ['region', { color: '--map-region', widths: { 0: 1 } }],
  ['country', { color: '--map-country', widths: { 0: 1.5 } }],
]
/** A road that is narrower has no outline. */
const MIN_OUTLINED = 2
/** Buildings have one from this zoom on. */
const BUILDING_LINES = 15

function widthAt(widths: Widths, zoom: number): number {
  const steps = Object.entries(widths).map(([from, width]) => [Number(from), width] as const)
  const before = steps.findLast(([from]) => from <= zoom)
  if (!before) return 0
  const [from, width] = before
  const [to, nextWidth] = steps.find(([next]) => next > zoom) ?? [from + 1, width]
  return width + ((nextWidth - width) * (zoom - from)) / (to - from)
}

/** Draws a tile, or the part of a larger one that it is. */
function drawTile(canvas: HTMLCanvasElement, { tile, ...source }: FoundTile, shown: Tile): void {
  const density = Math.min(devicePixelRatio, MAX_DENSITY)
  canvas.width = TILE_SIZE * density
  canvas.height = TILE_SIZE * density
  const context = canvas.getContext('2d')
  if (!context) return
  const colour = coloursOf(canvas)
  if (isTooCoarse(source.z, shown.z)) {
    context.fillStyle = colour('--map-land')
    context.fillRect(0, 0, canvas.width, canvas.height)
    return
  }

  const parts = 2 ** (shown.z - source.z)
  const size = EXTENT / parts
  const scale = (TILE_SIZE * density) / size
  const margin = MARGIN / (TILE_SIZE / size)
  const [left, top] = [(shown.x - source.x * parts) * size, (shown.y - source.y * parts) * size]
  const box: Box = [left - margin, top - margin, left + size + margin, top + size + margin]

  // Where a tile is still to come there is neither water nor land.
  context.fillStyle = colour('--map-water')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.lineJoin = 'round'
  context.lineCap = 'round'

  /** Only what is near: far away points have coordinates that a canvas cannot tell apart. */
  const trace = (shapes: readonly Shape[], isFilled: boolean) => {
    context.beginPath()
    for (const shape of shapes) {
      if (!meets(shape.box, box)) continue
      for (const line of shape.lines) {
        const inside = parts === 1 ? [line] : isFilled ? [clipRing(line, box)] : clipLine(line, box)
        for (const points of inside) {
          for (let at = 0; at < points.length; at += 2) {
            const [x, y] = [((points[at] as number) - left) * scale, ((points[at + 1] as number) - top) * scale]
            if (at === 0) context.moveTo(x, y)
            else context.lineTo(x, y)
          }
          if (isFilled) context.closePath()
        }
      }
    }
  }

  const stroke = (name: string, width: number, dashes: number[] = []) => {
    context.strokeStyle = colour(name)
    context.lineWidth = width * density
    context.setLineDash(dashes.map((length) => length * density))
    context.stroke()
  }

  const draw = ([kind, { color, widths, dashes, isRoad }]: (typeof STYLES)[number], isOutline: boolean) => {
    const shapes = tile.shapes.get(kind)
    const width = widths ? widthAt(widths, shown.z) : 0
    const hasOutline = isRoad && width >= MIN_OUTLINED
    if (!shapes || (widths && width === 0) || (isOutline && !hasOutline)) return
    trace(shapes, !widths)
    if (isOutline) return stroke('--map-road-edge', width + 2)
    if (widths) return stroke(color, width, dashes)
    context.fillStyle = colour(color)
    context.fill()
    if (kind === 'building' && shown.z >= BUILDING_LINES) stroke('--map-building-edge', 1)
  }

  const firstRoad = STYLES.findIndex(([, { isRoad }]) => isRoad)
  for (const style of STYLES.slice(0, firstRoad)) draw(style, false)
  for (const style of STYLES.slice(firstRoad)) draw(style, true)
  for (const style of STYLES.slice(firstRoad)) draw(style, false)
}

/** The values of the theme's colours. A canvas that is not in the page yet has none of its own. */
export function coloursOf(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element.isConnected ? element : document.documentElement)
  return (name) => style.getPropertyValue(name).trim()
}

/** The level of the tiles that a map shows at a zoom, and how wide they are there, in pixels. */
export function levelAt(zoom: number): { z: number; side: number } {
  const z = Math.max(0, zoom - 1)
  return { z, side: TILE_SIZE * 2 ** (zoom - 1 - z) }
}

/** The tiles that have a part between two pixels of a map at a zoom: also of a repeated world. */
export function tilesBetween(first: L.Point, last: L.Point, zoom: number): Tile[] {
  const { z, side } = levelAt(zoom)
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
