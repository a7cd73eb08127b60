/** One request of a probe, in milliseconds of the clock. */
export interface Sample {
  startedAt: number
  endedAt: number
  /** Why it failed. */
  failure?: string
}

export interface Probe {
  samples: Sample[]
  stop(): void
}

/** Sends a request every `everyMs`, which is given up after `deadlineMs`; one that hangs does not hold up the next. */
export function startProbe(
  { everyMs, deadlineMs }: { everyMs: number; deadlineMs: number },
  send: (signal: AbortSignal) => Promise<void>,
): Probe {
  const samples: Sample[] = []
  const timer = setInterval(async () => {
    const startedAt = Date.now()
    const failure = await send(AbortSignal.timeout(deadlineMs)).then(
      () => undefined,
      (error: Error & { cause?: { code?: string } }) => error.cause?.code ?? error.message,
    )
    samples.push({ startedAt, endedAt: Date.now(), ...(failure !== undefined && { failure }) })
  }, everyMs)
  return { samples, stop: () => clearInterval(timer) }
}

export interface Period {
  from: number
  until: number
}

/** Those that ended in the period: a request that hangs is a failure of what was done while it waited. */
export function failuresWithin(samples: Sample[], { from, until }: Period): Sample[] {
  return samples.filter(({ endedAt, failure }) => failure && endedAt >= from && endedAt < until)
}

/**
 * Milliseconds from the start of the period until the first success of a request that began after the last failed one; 0 if none
 * failed, null if none succeeded any more.
 */
export function recoveryTime(samples: Sample[], period: Period): number | null {
  const failures = failuresWithin(samples, period)
  if (failures.length === 0) return 0
  const lastFailure = Math.max(...failures.map(({ startedAt }) => startedAt))
  const successes = samples.filter(({ startedAt, failure }) => !failure && startedAt > lastFailure)
  if (successes.length === 0) return null
  return Math.max(0, Math.min(...successes.map(({ endedAt }) => endedAt)) - period.from)
}
