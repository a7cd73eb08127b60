import { OrdersScreen } from '../features/orders/orders-screen.tsx'
import { usePageTitle } from '../lib/routing.ts'

/** The user's print orders. */
export default function OrdersPage() {
  usePageTitle('Print Orders')
  return (
    <div className="gutters mx-auto max-w-[960px] pt-7">
      <OrdersScreen />
    </div>
  )
}
