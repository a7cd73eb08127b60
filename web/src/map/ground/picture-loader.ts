/** Pictures that are loaded at the same time. */
const AT_ONCE = 6
/** Decoded pictures that are kept, in pixels of four bytes: those that were not used for longest go first. */
export const MAX_PIXELS = 40_000_000

/** Loads pictures and keeps them decoded, so that each is loaded once. */
export class PictureLoader {
  readonly #onLoaded: () => void
  /** The one used last is the last. */
  readonly #bitmaps = new Map<string, ImageBitmap>()
  readonly #loading = new Set<string>()
  readonly #failed = new Set<string>()
  #wanted: readonly string[] = []

  constructor(onLoaded: () => void) {
    this.#onLoaded = onLoaded
  }

  /** Loads these pictures, the first ones first, and no further others. */
  request(urls: readonly string[]): void {
    this.#wanted = urls
    this.#next()
    this.#drop(new Set(urls))
  }

  find(url: string): ImageBitmap | undefined {
    const bitmap = this.#bitmaps.get(url)
    if (!bitmap) return undefined
    this.#bitmaps.delete(url)
    this.#bitmaps.set(url, bitmap)
    return bitmap
  }

  hasFailed(url: string): boolean {
    return this.#failed.has(url)
  }

  /** Failed pictures may be requested again. */
  retry(): void {
    this.#failed.clear()
  }

  #next(): void {
    for (const url of this.#wanted) {
      if (this.#loading.size >= AT_ONCE) return
      const isKnown = this.#bitmaps.has(url) || this.#loading.has(url) || this.#failed.has(url)
      if (!isKnown) void this.#load(url)
    }
  }

  async #load(url: string): Promise<void> {
    this.#loading.add(url)
    try {
      const response = await fetch(url)
      if (!response.ok) throw new Error(`${response.status}`)
      this.#bitmaps.set(url, await createImageBitmap(await response.blob()))
    } catch {
      this.#failed.add(url)
    }
    this.#loading.delete(url)
    this.#onLoaded()
    this.#next()
  }

  #drop(wanted: ReadonlySet<string>): void {
    let pixels = 0
    for (const { width, height } of this.#bitmaps.values()) pixels += width * height
    for (const [url, bitmap] of this.#bitmaps) {
      if (pixels <= MAX_PIXELS) return
      if (wanted.has(url)) continue
      pixels -= bitmap.width * bitmap.height
      bitmap.close()
      this.#bitmaps.delete(url)
    }
  }
}
