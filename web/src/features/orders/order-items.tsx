import { useQuery } from '@tanstack/react-query'
import { ExternalLink, ImageOff } from 'lucide-react'
import { Link } from 'react-router-dom'
import { photoQuery } from '../../api/photo-cache.ts'
import type { PrintOrder, PrintOrderItem } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { countOf } from '../../lib/format.ts'
import { sourcesForRow } from '../../photos/renditions.ts'
import { itemSize, itemTitle } from './order-texts.ts'

interface OrderItemsProps {
  order: PrintOrder
  /** Shows only the first items, with a link to the order for the rest. */
  atMost?: number
}

/** The photos of an order, each with its size and quantity. */
export function OrderItems({ order, atMost = Number.POSITIVE_INFINITY }: OrderItemsProps) {
  const items = order.items
  const shown = items.length > atMost ? items.slice(0, atMost) : items
  const hidden = items.slice(shown.length).reduce((sum, { quantity }) => sum + quantity, 0)
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
        fallback={<NoThumbnail />}
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
          <span className="sr-only"> of {title} (opens in a new tab)</span>
        </a>
      )}
    </div>
  )
}

function NoThumbnail() {
  return (
    <span aria-hidden className="absolute inset-0 grid place-items-center text-muted">
      <ImageOff className="size-5" />
    </span>
  )
}
