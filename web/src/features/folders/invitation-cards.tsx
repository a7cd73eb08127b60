import { useEffect, useEffectEvent } from 'react'
import { createPortal } from 'react-dom'
import { QrPicture } from './qr-picture.tsx'

interface InvitationCardsProps {
  /** What the invitations are for. */
  title: string
  /** Until when one votes; null: it is not known. */
  until: string | null
  cards: { id: number; name: string; address: string }[]
  onDone: () => void
}

/** Prints a card with name, code and link for each of the invitations. On the screen nothing is seen of them. */
export function InvitationCards({ title, until, cards, onDone }: InvitationCardsProps) {
  const done = useEffectEvent(onDone)
  useEffect(() => {
    const finish = () => done()
    addEventListener('afterprint', finish)
    // After the cards were painted once: some browsers print what was on the screen.
    const timer = setTimeout(() => window.print())
    return () => {
      clearTimeout(timer)
      removeEventListener('afterprint', finish)
    }
  }, [])
  return createPortal(
    <div data-printed className="hidden print:block">
      <ul className="grid grid-cols-2 gap-4">
        {cards.map(({ id, name, address }) => (
          <li key={id} className="flex break-inside-avoid items-center gap-4 border border-line p-4">
            <QrPicture address={address} className="size-28 shrink-0" />
            <div className="min-w-0">
              <p className="text-sm text-muted">{title}</p>
              <p className="text-lg font-semibold wrap-anywhere">{name}</p>
              {until && <p className="text-sm">{until}</p>}
              <p className="text-xs wrap-anywhere">{address}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>,
    document.body,
  )
}
