import L from 'leaflet'
import { type BaseTile, type BaseTiles, type Box, clipRing, EXTENT, meets, type Shape } from './base-tiles.ts'

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

  function fill(shapes: Shape[], name: string): void {
    if (!context) return
    context.beginPath()
    for (const shape of shapes) if (meets(shape.box, box)) traceInside(shape)
    context.fillStyle = colour(name)
    context.fill()
  }

  function traceInside({ lines }: Shape): void {
    for (const ring of lines) {
      const inside = parts === 1 ? ring : clipRing(ring, box)
      for (let at = 0; at < inside.length; at += 2) {
        const [x, y] = [((inside[at] as number) - left) * scale, ((inside[at + 1] as number) - top) * scale]
        if (at === 0) context?.moveTo(x, y)
        else context?.lineTo(x, y)
      }
      context?.closePath()
    }
  }

  function stroke(shapes: Shape[], name: string, width: number): void {
    if (!context) return
    context.beginPath()
    for (const shape of shapes) if (meets(shape.box, box)) traceNear(shape)
    context.strokeStyle = colour(name)
    context.lineWidth = width * density
    context.stroke()
  }

  /** Only the segments near the part: far away ones have coordinates that a canvas cannot tell apart. */
  function traceNear({ lines }: Shape): void {
    for (const line of lines) {
      let isOpen = false
      for (let at = 2; at < line.length; at += 2) {
        const [fromX, fromY] = [line[at - 2] as number, line[at - 1] as number]
        const [x, y] = [line[at] as number, line[at + 1] as number]
        const isNear = meets([Math.min(fromX, x), Math.min(fromY, y), Math.max(fromX, x), Math.max(fromY, y)], box)
        if (isNear && !isOpen) context?.moveTo((fromX - left) * scale, (fromY - top) * scale)
        if (isNear) context?.lineTo((x - left) * scale, (y - top) * scale)
        isOpen = isNear
      }
    }
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
export function coloursOf(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element.isConnected ? element : document.documentElement)
  return (name) => style.getPropertyValue(name).trim()
}
