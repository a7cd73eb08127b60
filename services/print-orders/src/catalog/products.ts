import type { Logger } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Partner } from '../partner/partner.ts'
import { unwrap } from '../partner/problem.ts'
import type { Environment, Product, ReadOutcome } from '../partner/types.ts'

export interface ProductCatalog {
  /** The products, at most a minute old. @throws AppError 502, 503 or 504 */
  list(environment: Environment, withinMs: number): Promise<Product[]>
  /** The products as they are now; later lists are not older. */
  fresh(environment: Environment, withinMs: number): Promise<ReadOutcome<Product[]>>
}

interface CatalogDeps {
  partner: Partner
  redis: Redis
  logger: Logger
}

const CACHE_SECONDS = 60

/** The products of the wizard, in a cache that all replicas share. Without Redis the partner is called each time. */
export function createProductCatalog({ partner, redis, logger }: CatalogDeps): ProductCatalog {
  const running = new Map<Environment, Promise<ReadOutcome<Product[]>>>()

  const keyOf = (environment: Environment) => `partner-products:${environment}:${partner.baseUrl(environment)}`

  async function cached(environment: Environment): Promise<Product[] | null> {
    const text = await redis.get(keyOf(environment)).catch(() => null)
    return text === null ? null : JSON.parse(text)
  }

  async function fresh(environment: Environment, withinMs: number): Promise<ReadOutcome<Product[]>> {
    const outcome = await partner.products(environment, { withinMs })
    if (outcome.outcome === 'ok') {
      await redis
        .set(keyOf(environment), JSON.stringify(outcome.value), 'EX', CACHE_SECONDS)
        .catch((error) => logger.warn({ err: error }, 'products not cached'))
    }
    return outcome
  }

  /** One call for all who wait. */
  function shared(environment: Environment, withinMs: number): Promise<ReadOutcome<Product[]>> {
    const call = running.get(environment) ?? fresh(environment, withinMs).finally(() => running.delete(environment))
    running.set(environment, call)
    return call
  }

  return {
    fresh,
    async list(environment, withinMs) {
      const endsAt = performance.now() + withinMs
      return (await cached(environment)) ?? unwrap(await shared(environment, endsAt - performance.now()))
    },
  }
}
