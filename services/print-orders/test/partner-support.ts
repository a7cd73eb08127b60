import { Writable } from 'node:stream'
import { createLogger, type Logger, loadConfig, openRedis } from '@skyfolio/kit'
import { testServers } from '@skyfolio/testkit'
import type { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { partnerSettings } from '../src/config.ts'
import { createPartner, type Partner, type PartnerConfig } from '../src/partner/partner.ts'

export const API_KEY = 'key-that-nobody-may-see'
export const AFFILIATE_ID = 'affiliate-that-nobody-may-see'

/** Waits and pauses of tests are short. */
const FAST = { circuit: { failures: 5, openMs: 50, openMaxMs: 200 }, retryMs: 5 }

export function partnerConfig(url: string, given: Partial<PartnerConfig> = {}): PartnerConfig {
  const environment = { PARTNER_SANDBOX_URL: url, PARTNER_API_KEY: API_KEY, PARTNER_AFFILIATE_ID: AFFILIATE_ID }
  return { ...loadConfig(partnerSettings, environment), ...given }
}

/** The client of one process, with the Redis of the run. */
export function openPartner(
  config: PartnerConfig,
  { redis = openTestRedis(), logger = createLogger('partner-test', 'silent') }: { redis?: Redis; logger?: Logger } = {},
): Partner {
  return createPartner(config, redis, logger, FAST)
}

export function openTestRedis(url = testServers().redisUrl): Redis {
  const redis = openRedis(url, 'partner-test')
  onTestFinished(async () => {
    redis.disconnect()
  })
  return redis
}

/** A logger whose lines a test reads. */
export function openLog(): { logger: Logger; lines: string[] } {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { logger: createLogger('print-orders', 'trace', destination), lines }
}
