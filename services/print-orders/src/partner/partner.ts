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
