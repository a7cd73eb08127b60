import { drawPictures, type PlacedPicture } from './draw-picture.ts'
import { PictureLoader } from './picture-loader.ts'

// Loads the pictures on the ground and draws them on a canvas, so that the page has no long tasks. Each drawing answers the latest
// request; more come as pictures are loaded. It ends with the layer.

export interface DrawRequest {
  /** Of the answer, too. */
  number: number
  width: number
  height: number
  /** The lowest first. */
  pictures: readonly { placed: PlacedPicture; url: string; others: readonly string[] }[]
  /** Tries the pictures again that could not be loaded. */
  retry: boolean
}

export interface DrawAnswer {
  number: number
  drawn: ImageBitmap
  /** Pictures that could not be loaded. */
  failed: number
  /** Pictures that are still being loaded. */
  waiting: number
}

/** Pictures that have come are drawn together. */
const GATHER_MS = 200

const loader = new PictureLoader(() => drawAfter(GATHER_MS))
let latest: DrawRequest | null = null
let timer: ReturnType<typeof setTimeout> | undefined

addEventListener('message', ({ data }: MessageEvent<DrawRequest>) => {
  if (data.retry) loader.retry()
  latest = data
  // The uppermost first: they cover the others.
  loader.request(data.pictures.map(({ url }) => url).toReversed())
  clearTimeout(timer)
  timer = undefined
  drawAfter(0)
})

function drawAfter(milliseconds: number): void {
  timer ??= setTimeout(() => {
    timer = undefined
    if (latest) draw(latest)
  }, milliseconds)
}

function draw({ number, width, height, pictures }: DrawRequest): void {
  const canvas = new OffscreenCanvas(width, height)
  const loaded = pictures.flatMap(({ placed, url, others }) => {
    // Another size, while the wanted one is not there.
    const bitmap = [url, ...others].map((one) => loader.find(one)).find(Boolean)
    return bitmap ? [{ placed, bitmap }] : []
  })
  drawPictures(canvas, loaded)
  const drawn = canvas.transferToImageBitmap()
  const failed = pictures.filter(({ url }) => loader.hasFailed(url)).length
  const waiting = pictures.length - failed - pictures.filter(({ url }) => loader.find(url)).length
  postMessage({ number, drawn, failed, waiting } satisfies DrawAnswer, { transfer: [drawn] })
}
