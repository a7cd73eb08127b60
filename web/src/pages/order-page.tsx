import { useParams } from 'react-router-dom'
import { OrderNotFound, OrderScreen } from '../features/orders/order-screen.tsx'
import { parseId } from '../lib/parse-id.ts'

/** One print order. */
export default function OrderPage() {
  const orderId = parseId(useParams().id)
  return (
    <div className="gutters mx-auto max-w-[1180px] pt-5">
      {orderId === null ? <OrderNotFound /> : <OrderScreen key={orderId} orderId={orderId} />}
    </div>
  )
}
