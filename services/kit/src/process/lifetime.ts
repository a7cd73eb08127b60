import { readFileSync } from 'node:fs'
import { startTelemetry } from '../telemetry/telemetry.ts'
import { ConfigError, loadConfig } from './config.ts'
import { createHealth, type Health } from './health.ts'
import { createLogger, type Logger } from './logger.ts'
import { processSettings } from './settings.ts'
import { within } from './within.ts'

/** Passed to everything that a process starts, so that it starts and stops in order. */
export interface Lifetime {
  logger: Logger
  health: Health
  /** Registers how to stop what was just started. Stops run in reverse order, each for at most `limitMs` (10 s). */
  defer(name: string, stop: () => unknown, limitMs?: number): void
}

interface ClosableLifetime extends Lifetime {
  /** Turns readiness off, then runs every stop in reverse order. False when one failed or took too long. */
  close(): Promise<boolean>
}

const STOP_TIMEOUT_MS = 10_000

/** A lifetime without a process around it, for `runProcess` and for tests. */
export function createLifetime(logger: Logger, stopTimeoutMs = STOP_TIMEOUT_MS): ClosableLifetime {
  const parts: { name: string; stop: () => unknown; limitMs: number }[] = []
  const health = createHealth()

  async function stopAll(): Promise<boolean> {
    let clean = true
    // After a signal during the start, more may be registered while others stop.
    for (let part = parts.pop(); part; part = parts.pop()) {
      try {
        const { stop, limitMs } = part
        await within(limitMs, stop(), () => new Error(`not stopped after ${limitMs} ms`))
      } catch (error) {
        clean = false
        logger.error({ err: error, part: part.name }, 'stop failed')
      }
    }
    return clean
  }

  return {
    logger,
    health,
    defer: (name, stop, limitMs = stopTimeoutMs) => parts.push({ name, stop, limitMs }),
    close() {
      health.drain()
      return stopAll()
    },
  }
}

function drainOnSignals(life: ClosableLifetime): void {
  let isDraining = false
  const drain = async (signal: string) => {
    if (isDraining) {
      life.logger.warn({ signal }, 'second signal, exiting at once')
      process.exit(1)
    }
    isDraining = true
    life.logger.info({ signal }, 'draining')
    const clean = await life.close()
    life.logger.info({ clean }, 'stopped')
    process.exit(clean ? 0 : 1)
  }
  process.on('SIGTERM', drain)
  process.on('SIGINT', drain)
}

function exitOnUnhandledErrors(logger: Logger): void {
  const die = (error: unknown) => {
    logger.fatal({ err: error }, 'unhandled error')
    process.exit(1)
  }
  process.on('uncaughtException', die)
  process.on('unhandledRejection', die)
}

/** The release, from the package.json of the repository or the image. */
function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')).version
}

/**
 * Runs a process: reads LOG_LEVEL, starts telemetry, runs `main`, and is ready when `main` returns.
 * SIGTERM or SIGINT drains (readiness off, then every deferred stop in reverse order) and exits 0; a second one
 * exits 1 at once, as does an error in `main` or an unhandled one.
 */
export async function runProcess(name: string, main: (life: Lifetime) => Promise<void>): Promise<void> {
  let life: ClosableLifetime | undefined
  try {
    // biome-ignore lint/style/noProcessEnv: every process starts here, before its own settings are read
    const env = process.env
    const config = loadConfig(processSettings, env)
    life = createLifetime(createLogger(name, config.logLevel))
    exitOnUnhandledErrors(life.logger)
    drainOnSignals(life)
    const telemetry = await startTelemetry(name, {
      version: readVersion(),
      traces: Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT),
    })
    life.defer('telemetry', telemetry.stop)
    await main(life)
    life.health.ready()
    life.logger.info('started')
  } catch (error) {
    if (error instanceof ConfigError) process.stderr.write(`${name}: ${error.message}\n`)
    else if (life) life.logger.fatal({ err: error }, 'start failed')
    else process.stderr.write(`${name}: ${error}\n`)
    await life?.close()
    process.exit(1)
  }
}
