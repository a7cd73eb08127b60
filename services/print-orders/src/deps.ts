import type { Logger, ViewAudit } from '@skyfolio/kit'
import type { RateLimit } from '@skyfolio/kit/rate-limit'
import type { CouponLimits } from './catalog/coupon.ts'
import type { ProductCatalog } from './catalog/products.ts'
import type { Database } from './database.ts'
import type { ImageOrigins } from './orders/image-urls.ts'
import type { PrintImages } from './orders/print-images.ts'
import type { Submitter } from './orders/submit-order.ts'
import type { Partner } from './partner/partner.ts'

/** What the API of print-orders needs. */
export interface PrintOrdersDeps {
  logger: Logger
  identityKeys: string[]
  db: Database
  partner: Partner
  catalog: ProductCatalog
  limits: CouponLimits & { searches: RateLimit; submits: RateLimit }
  images: PrintImages
  origins: ImageOrigins
  submitter: Submitter
  /** Address of an image of the web application that the partner can reach, for test orders. */
  testImageUrl: string
  viewAudit: ViewAudit
  /** Publishes the events of a commit. */
  onCommit(): void
}
