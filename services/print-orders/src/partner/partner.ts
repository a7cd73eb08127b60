import { createHash } from 'node:crypto'
import type { Config, Logger } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { partnerSettings } from '../config.ts'
import { couponCall, credentialsCall, productsCall, statusCall, storesCall, submitCall } from './calls.ts'
import type { CircuitOptions } from './circuit-breaker.ts'
import { createClient } from './client.ts'
import { createRateLimits, type RateLimitOptions } from './rate-limit.ts'
import type { Sent } from './send-request.ts'
import type {
  AcceptedCredentials,
  CallOptions,
  Coupon,
  Environment,
  Product,
  ProductQuantity,
  ReadOutcome,
  StatusEntry,
  Store,
  StoreSearch,
  SubmitOutcome,
  SubmitRequest,
} from './types.ts'

/**
 * The print partner's API. No method throws: what went wrong is part of the outcome. Reads are repeated within their time
 * where that can help; a submit is one request at most.
 */
export interface Partner {
  /** Whether the environment has an address and there are credentials. */
  configured(environment: Environment): boolean
  /** Base address of the environment; null where not configured. */
  baseUrl(environment: Environment): string | null
  credentials(environment: Environment, options?: CallOptions): Promise<ReadOutcome<AcceptedCredentials>>
  products(environment: Environment, options?: CallOptions & { groupId?: string }): Promise<ReadOutcome<Product[]>>
  stores(environment: Environment, search: StoreSearch, options?: CallOptions): Promise<ReadOutcome<Store[]>>
  coupon(
    environment: Environment,
    request: { couponCode: string; items: ProductQuantity[] },
    options?: CallOptions,
  ): Promise<ReadOutcome<Coupon>>
  /** `withinMs` (PARTNER_TIMEOUT_MS by default) includes waiting for the rate limit. */
  submit(environment: Environment, order: SubmitRequest, options?: { withinMs?: number }): Promise<SubmitOutcome>
  status(environment: Environment, vendorOrderIds: string[], options?: CallOptions): Promise<ReadOutcome<StatusEntry[]>>
}

export type PartnerConfig = Config<typeof partnerSettings>

const CIRCUIT: CircuitOptions = { failures: 5, openMs: 1_000, openMaxMs: 15_000 }
const RETRY_MS = 300
/** Of all calls: the partner allows 100 coupon calls where it allows 300 calls. */
const COUPON_PART = 1 / 3

/** The partner's API as configured, with the rate limits that all replicas share in Redis. */
export function createPartner(
  config: PartnerConfig,
  redis: Redis,
  logger: Logger,
  options: { circuit?: CircuitOptions; retryMs?: number } = {},
): Partner {
  const urls = { sandbox: config.partnerSandboxUrl, production: config.partnerProductionUrl }
  const { partnerApiKey: apiKey, partnerAffiliateId: affiliateId } = config
  const limits = createRateLimits(redis, rateLimitOptions(config), logger)
  const client = createClient(
    {
      urls,
      credentials: apiKey && affiliateId ? { apiKey, affiliateId } : null,
      timeoutMs: config.partnerTimeoutMs,
      circuit: options.circuit ?? CIRCUIT,
      retryMs: options.retryMs ?? RETRY_MS,
    },
    { limits, logger },
  )
  return {
    configured: client.isConfigured,
    baseUrl: (environment) => urls[environment] ?? null,
    credentials: (environment, given) => client.read(environment, credentialsCall(), given),
    products: (environment, given) => client.read(environment, productsCall(given?.groupId), given),
    stores: (environment, search, given) => client.read(environment, storesCall(search), given),
    coupon: (environment, request, given) => client.read(environment, couponCall(request), given),
    submit: async (environment, order, { withinMs } = {}) =>
      submitOutcome(await client.sendOnce(environment, submitCall(order), withinMs)),
    status: (environment, ids, given) => client.read(environment, statusCall(ids), given),
  }
}

function rateLimitOptions(config: PartnerConfig): RateLimitOptions {
  return {
    accounts: { sandbox: accountOf(config, 'sandbox'), production: accountOf(config, 'production') },
    requestsPerMinute: config.partnerRequestsPerMinute,
    couponsPerMinute: Math.floor(config.partnerRequestsPerMinute * COUPON_PART),
    processes: config.partnerProcesses,
  }
}

/** Names the account under which requests are sent, without its secrets. */
function accountOf(config: PartnerConfig, environment: Environment): string {
  const url = environment === 'production' ? config.partnerProductionUrl : config.partnerSandboxUrl
  return createHash('sha256').update(`${url} ${config.partnerAffiliateId}`).digest('base64url').slice(0, 22)
}

/** Anything but a clear response of the partner means that the order may exist, once something was sent. */
function submitOutcome({ sent, ...result }: Sent<string>): SubmitOutcome {
  if (result.outcome === 'ok') return { outcome: 'accepted', vendorOrderId: result.value }
  if (result.outcome === 'error') return { ...result, outcome: 'rejected' }
  const hasNoOrder = !sent || result.isRejection
  return { ...result, outcome: hasNoOrder ? 'notSent' : 'unknown' }
}
