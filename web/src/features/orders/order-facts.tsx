import type { ReactNode } from 'react'
import type { PrintOrder } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatPhone, formatPlace } from '../../lib/format.ts'
import { couponText, priceText, taxText } from './order-texts.ts'

/** Where an order is picked up, by whom, and what it costs. */
export function OrderFacts({ order }: { order: PrintOrder }) {
  const coupon = couponText(order)
  const tax = taxText(order.taxAmount)
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 md:grid-cols-[1.2fr_1.2fr_1fr]">
      <Fact label="Pickup">
        <span className="block font-medium">Store #{order.storeNumber}</span>
        {order.storeAddress && <span className="block">{order.storeAddress}</span>}
        <StorePlace order={order} />
        {order.storePhone && <PhoneLink phone={order.storePhone} />}
      </Fact>
      <Fact label="Contact" className="max-md:order-last max-md:col-span-2">
        <span className="block font-medium">
          {order.customerFirstName} {order.customerLastName}
        </span>
        <span className="block">{order.customerEmail}</span>
        <span className="block">{formatPhone(order.customerPhone)}</span>
      </Fact>
      <Fact label="Total">
        <span className="block text-lg font-semibold">{priceText(order.totalAmount)}</span>
        {tax && <span className="block text-sm text-muted">{tax}</span>}
        {coupon && <span className="block text-sm text-good">{coupon}</span>}
      </Fact>
    </dl>
  )
}

function StorePlace({ order }: { order: PrintOrder }) {
  const place = formatPlace({ city: order.storeCity, state: order.storeState })
  return place && <span className="block">{place}</span>
}

function PhoneLink({ phone }: { phone: string }) {
  return (
    <a
      href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}
      className="relative inline-block text-accent after:absolute after:-inset-2.5 hover:underline sm:after:inset-0"
    >
      {formatPhone(phone)}
    </a>
  )
}

interface FactProps {
  label: string
  className?: string
  children: ReactNode
}

function Fact({ label, className, children }: FactProps) {
  return (
    <div className={cx('min-w-0', className)}>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}
