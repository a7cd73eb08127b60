import { findProduct } from '../catalog/products.ts'
import type { Blobs } from './blobs.ts'
import { type FetchedImage, fetchImage, ImageProblem, inspectImage, makeThumbnail } from './fetch-image.ts'
import type { Order, OrderItem } from './order.ts'
import type { Thumbnails } from './thumbnails.ts'

const MAX_PARALLEL = 4

export interface DownloadDeps {
  imageOrigin: string | undefined
  blobs: Blobs
  thumbnails: Thumbnails
}

/** Downloads the images of orders; at most four orders at once, each image after the other. */
export class Downloads {
  readonly #deps: DownloadDeps
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #busy = new Set<string>()

  constructor(deps: DownloadDeps) {
    this.#deps = deps
  }

  get hasRoom(): boolean {
    return this.#running.size < MAX_PARALLEL
  }

  isBusy({ vendorOrderId }: Order): boolean {
    return this.#busy.has(vendorOrderId)
  }

  /** Starts the download; `finished` learns the first problem, if there was one. */
  start(order: Order, finished: (problem: ImageProblem | undefined) => void): void {
    this.#busy.add(order.vendorOrderId)
    const run = this.#download(order).then((problem) => {
      this.#running.delete(run)
      this.#busy.delete(order.vendorOrderId)
      if (!this.#stop.signal.aborted) finished(problem)
    })
    this.#running.add(run)
  }

  /** Resolves when one of those that run is finished. */
  async next(): Promise<void> {
    await Promise.race(this.#running)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled(this.#running)
  }

  async #download(order: Order): Promise<ImageProblem | undefined> {
    let first: ImageProblem | undefined
    const missing = Map.groupBy(
      order.items.filter(({ image }) => image === null),
      ({ url }) => url,
    )
    for (const [url, items] of missing) {
      const problem = await this.#downloadImage(url, items)
      first ??= problem
    }
    return first
  }

  async #downloadImage(url: string, items: OrderItem[]): Promise<ImageProblem | undefined> {
    try {
      const content = this.#deps.blobs.find(url) ?? (await this.#fetch(url))
      const image: FetchedImage = { ...(await inspectImage(content)), content }
      for (const item of items) await this.#print(item, image)
      return undefined
    } catch (error) {
      const problem = error instanceof ImageProblem ? error : new ImageProblem('The download failed.', true)
      for (const item of items) item.problem = problem.message
      return problem
    }
  }

  #fetch(url: string): Promise<Buffer> {
    return fetchImage(url, this.#deps.imageOrigin, this.#stop.signal)
  }

  async #print(item: OrderItem, { content, ...image }: FetchedImage): Promise<void> {
    const product = findProduct(item.productId)
    const thumbnail = await makeThumbnail({ ...image, content }, product ?? image)
    item.thumbnailId = this.#deps.thumbnails.add(thumbnail)
    item.image = image
    item.problem = null
  }
}
