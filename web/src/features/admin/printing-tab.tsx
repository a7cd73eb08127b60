import { EndpointTests } from './endpoint-tests.tsx'
import { UnresolvedOrders } from './unresolved-orders.tsx'

/** Tests of the partner's endpoints, and the orders whose outcome is not known. */
export function PrintingTab() {
  return (
    <div className="grid gap-10">
      <EndpointTests />
      <UnresolvedOrders />
    </div>
  )
}
