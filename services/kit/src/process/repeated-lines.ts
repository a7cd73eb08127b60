import type { FastifyBaseLogger } from 'fastify'

export type LineLogger = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>

/** A line that may repeat. */
export interface Line {
  /** What distinguishes it, beside the network: a small set, never chosen by clients. */
  kind: string
  /** The network of the client, where the line is about clients. */
  network?: string
  level: 'info' | 'warn' | 'error'
  fields: object
  message: string
}

/** Keeps floods out of the log: of equal lines one is written, and what follows it is counted. */
export interface RepeatedLines {
  /**
   * Writes the line, unless one of its kind and network was written within a minute. While it repeats, one line a minute says
   * in `repeated` how many followed.
   * @param logger for the first one; by default that of the process
   */
  log(line: Line, logger?: () => LineLogger): void
  /** Writes what was counted. */
  close(): void
}

interface Recent {
  line: Line
  repeated: number
  timer: NodeJS.Timeout
}

const WINDOW_MS = 60_000
/** Bounds memory and log; the networks beyond share a line for each kind. */
const MAX_KEYS = 1_000
const OTHERS = 'others'

export function createRepeatedLines(logger: LineLogger, windowMs = WINDOW_MS, maxKeys = MAX_KEYS): RepeatedLines {
  const recent = new Map<string, Recent>()

  function write({ level, fields, message, network }: Line, to: LineLogger, repeated?: number): void {
    to[level]({ ...fields, ...(network && { network }), ...(repeated && { repeated }) }, message)
  }

  function report(key: string, entry: Recent): void {
    if (entry.repeated === 0) return void recent.delete(key)
    write(entry.line, logger, entry.repeated)
    entry.repeated = 0
    entry.timer.refresh()
  }

  function find(line: Line): { key: string; line: Line } {
    const key = `${line.kind} ${line.network}`
    if (line.network === undefined || recent.has(key) || recent.size < maxKeys) return { key, line }
    return { key: `${line.kind} ${OTHERS}`, line: { ...line, network: OTHERS } }
  }

  return {
    log(given, own) {
      const { key, line } = find(given)
      const known = recent.get(key)
      if (known) {
        known.repeated += 1
        return
      }
      const entry: Recent = { line, repeated: 0, timer: setTimeout(() => report(key, entry), windowMs) }
      entry.timer.unref()
      recent.set(key, entry)
      write(line, own?.() ?? logger)
    },
    close() {
      for (const { line, repeated, timer } of recent.values()) {
        clearTimeout(timer)
        if (repeated > 0) write(line, logger, repeated)
      }
      recent.clear()
    },
  }
}
