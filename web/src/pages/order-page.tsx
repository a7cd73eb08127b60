import { useParams } from 'react-router-dom'
import { OrderNotFound, OrderScreen } from '../features/orders/order-screen.tsx'

/** One print order. */
export default function OrderPage() {
  const { id = '' } = useParams()
  const orderId = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : null
  return (
    <div className="gutters mx-auto max-w-[1180px] pt-5">
      {orderId === null ? <OrderNotFound /> : <OrderScreen key={orderId} orderId={orderId} />}
    </div>
  )
}
