import type { FileParts } from './file-parts.ts'

/** Parts that have stood still for this time are sent again when the device is awake or online again. */
const STALLED_MS = 10_000

/** A part that is being sent. */
export interface Flight {
  readonly file: FileParts
  readonly abort: AbortController
  progressAt: number
  /** Its failure says nothing about the connection. */
  isInterrupted: boolean
}

/** The parts that are being sent. */
export class Flights {
  readonly #flights = new Set<Flight>()

  get size(): number {
    return this.#flights.size
  }

  start(file: FileParts): Flight {
    const flight = { file, abort: new AbortController(), progressAt: Date.now(), isInterrupted: false }
    this.#flights.add(flight)
    return flight
  }

  end(flight: Flight): void {
    this.#flights.delete(flight)
  }

  /** Aborts all parts of the file. */
  abort(file: FileParts): void {
    for (const flight of this.#flights) if (flight.file === file) flight.abort.abort()
  }

  /** Aborts the parts that have stood still: they may wait for a connection that is gone. */
  abortStalled(): void {
    for (const flight of this.#flights) if (Date.now() - flight.progressAt >= STALLED_MS) this.#interrupt(flight)
  }

  /** Aborts all parts; which of them have arrived is asked later. */
  abortAll(): void {
    for (const flight of this.#flights) this.#interrupt(flight)
  }

  #interrupt(flight: Flight): void {
    flight.isInterrupted = true
    flight.abort.abort()
  }
}
