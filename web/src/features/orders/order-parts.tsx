import { useQuery } from '@tanstack/react-query'
import { ExternalLink, FlaskConical, ImageOff, PackageCheck, RotateCcw } from 'lucide-react'
import { createContext, type ReactNode, useContext } from 'react'
import { Link } from 'react-router-dom'
import { photoQuery } from '../../api/photo-cache.ts'
import type { PrintOrder, PrintOrderItem } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { sourcesForRow } from '../../components/renditions.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatDateTime, formatPhone, formatPlace } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { openPrintWizard } from '../../photos/printing.ts'
import {
  couponText,
  itemSize,
  itemTitle,
  orderedText,
  orderName,
  photoIdsOf,
  priceText,
  readyText,
  repeatOrder,
  statusLabel,
  statusTone,
  taxText,
} from './order-texts.ts'

interface OrderProps {
  order: PrintOrder
}

const Now = createContext(0)

/** One clock for all orders inside: with a thousand of them, a timer for each would be noticeable. */
export function OrderClock({ children }: { children: ReactNode }) {
  return <Now value={useNow()}>{children}</Now>
}

/** 'Ordered 3 hours ago', updated while it is shown, and when the prints are ready. */
export function OrderTimes({ order }: OrderProps) {
  const { createdAt } = order
  const now = useContext(Now)
  const ready = readyText(order)
  return (
    <>
      <time dateTime={createdAt} title={formatDateTime(createdAt) ?? undefined}>
        {orderedText(createdAt, now)}
      </time>
      {ready && <span>{ready}</span>}
    </>
  )
}

/** Status, 'Ready for Pickup!', and the note of the sandbox. */
export function OrderBadges({ order }: OrderProps) {
  return (
    <>
      <Badge tone={statusTone(order.orderStatus)}>{statusLabel(order.orderStatus)}</Badge>
      {order.orderStatus === 'ready' && (
        <Badge tone="good" icon={<PackageCheck aria-hidden />}>
          Ready for Pickup!
        </Badge>
      )}
      {order.environment === 'sandbox' && (
        <Badge icon={<FlaskConical aria-hidden />}>Sandbox: nothing is printed</Badge>
      )}
    </>
  )
}

/** Says whether to order again: not while the outcome is not known, but after a cancellation. */
export function OrderNotice({ order }: OrderProps) {
  if (order.orderStatus === 'cancelled') {
    return <p className="rounded-md bg-sunken px-4 py-3">Nothing was printed. You can order again.</p>
  }
  if (order.orderStatus !== 'unknown') return null
  return (
    <p className="rounded-md bg-warn-soft px-4 py-3 font-medium text-warn">
      We are checking with the store. Do not order again yet.
    </p>
  )
}

/** `atMost`: shows only the first items, with a link to the order for the rest. */
export function OrderItems({ order, atMost }: OrderProps & { atMost?: number }) {
  const shown = order.items.slice(0, atMost)
  const hidden = order.items.slice(shown.length).reduce((sum, { quantity }) => sum + quantity, 0)
  return (
    <>
      <ul className="grid gap-3">
        {shown.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items of an order never change, and two may be equal
          <li key={index}>
            <Item item={item} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Link
          to={`/orders/${order.id}`}
          className="mt-2 inline-flex min-h-11 items-center rounded-sm text-accent hover:underline sm:min-h-0"
        >
          {countOf(hidden, 'more print')}
        </Link>
      )}
    </>
  )
}

function Item({ item }: { item: PrintOrderItem }) {
  const { data: photo } = useQuery({ ...photoQuery(item.photoId ?? 0), enabled: item.photoId !== null })
  const title = itemTitle(item)
  return (
    <div className="flex items-center gap-3 sm:gap-4">
      <PhotoImage
        {...(photo ? sourcesForRow(96, photo) : { src: null })}
        alt=""
        thumbhash={photo?.thumbhash ?? null}
        fallback={
          <span aria-hidden className="absolute inset-0 grid place-items-center text-muted">
            <ImageOff className="size-5" />
          </span>
        }
        className="aspect-3/2 w-20 shrink-0 rounded-md sm:w-24"
      />
      <div className="min-w-0 flex-1">
        <p title={title} className="line-clamp-2 font-medium wrap-anywhere">
          {title}
        </p>
        <p className="text-sm text-muted">{itemSize(item)}</p>
      </div>
      {item.photoId !== null && (
        <a
          href={`/api/photos/${item.photoId}/image`}
          target="_blank"
          rel="noreferrer"
          className="inline-flex min-h-11 shrink-0 items-center gap-1.5 rounded-sm text-sm font-medium text-accent hover:underline sm:min-h-8"
        >
          <ExternalLink aria-hidden className="size-4" />
          View Image
          <span className="sr-only">{` of ${title} (opens in a new tab)`}</span>
        </a>
      )}
    </div>
  )
}

export function OrderFacts({ order }: OrderProps) {
  const place = formatPlace({ city: order.storeCity, state: order.storeState })
  const coupon = couponText(order)
  const tax = taxText(order.taxAmount)
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 md:grid-cols-[1.2fr_1.2fr_1fr]">
      <Fact label="Pickup">
        {order.storeName && <span className="block font-medium">{order.storeName}</span>}
        <span className={cx('block', !order.storeName && 'font-medium')}>{`Store #${order.storeNumber}`}</span>
        {order.storeAddress && <span className="block">{order.storeAddress}</span>}
        {place && <span className="block">{place}</span>}
        {order.storePhone && (
          <a
            href={`tel:${order.storePhone.replaceAll(/[^\d+]/g, '')}`}
            className="relative inline-block text-accent after:absolute after:-inset-2.5 hover:underline sm:after:inset-0"
          >
            {formatPhone(order.storePhone)}
          </a>
        )}
      </Fact>
      <Fact label="Contact" className="max-md:order-last max-md:col-span-2">
        <span className="block font-medium">{`${order.customerFirstName} ${order.customerLastName}`}</span>
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

function Fact({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div className={cx('min-w-0', className)}>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}

/** Opens the print wizard with the order's photos, unless the order may still arrive at the store or no photo is left. */
export function OrderAgain({ order }: OrderProps) {
  if (order.orderStatus === 'unknown' || photoIdsOf(order).length === 0) return null
  return (
    <div className="flex max-sm:*:flex-1">
      <Button size="small" onClick={() => openPrintWizard(repeatOrder(order))}>
        <RotateCcw aria-hidden /> Order again
        <span className="sr-only">{`: ${orderName(order)}`}</span>
      </Button>
    </div>
  )
}
