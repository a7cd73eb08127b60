import type { Resolution } from '../../api/orders.ts'
import { z } from '../../lib/forms.ts'

export const resolutionSchema = z
  .object({ outcome: z.enum(['placed', 'not_placed']), vendorOrderId: z.string().check(z.trim()) })
  .check(
    z.refine(({ outcome, vendorOrderId }) => outcome === 'not_placed' || vendorOrderId !== '', {
      message: 'Enter the number that the store gave for the order',
      path: ['vendorOrderId'],
    }),
  )
export type ResolutionValues = z.infer<typeof resolutionSchema>

/** What is sent. */
export function toResolution({ outcome, vendorOrderId }: ResolutionValues): Resolution {
  return outcome === 'placed' ? { vendorOrderId } : { placed: false }
}
