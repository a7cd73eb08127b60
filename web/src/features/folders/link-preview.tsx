import { useQuery } from '@tanstack/react-query'
import type { FolderLink } from '../../api/types.ts'
import { Loaded, LoadingState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { useNow } from '../../lib/use-now.ts'
import { type LinkCard, linkCardQuery } from './link-card.ts'
import { addressOf, stateOf } from './link-texts.ts'

/** What a chat or a mail shows of a link, read from the page as they read it. */
export function LinkPreview({ link }: { link: FolderLink }) {
  const address = addressOf(link.code, link.kind)
  const state = stateOf(link, useNow())
  const query = useQuery(linkCardQuery(address))
  return (
    <div className="grid justify-items-center gap-4 pb-2">
      <Loaded query={query} loading={<CardSkeleton />} failure="The preview could not be loaded">
        {(card) => <Card card={card} address={address} />}
      </Loaded>
      <p className="max-w-md text-center text-sm text-pretty text-muted">{HINTS[state.tone]}</p>
    </div>
  )
}

const HINTS = {
  good: 'Chats differ in size and colors. Some keep what they have shown for days, also after you have changed the folder.',
  warn: 'Before the password is entered nothing of the folder is shown, not even its name.',
  danger: 'The link has expired: it shows nothing of the folder.',
}

function Card({ card: { title, description, picture }, address }: { card: LinkCard; address: string }) {
  return (
    <figure className="w-full max-w-md overflow-hidden rounded-lg bg-sunken ring ring-line">
      {picture && <img src={picture.source} alt={picture.alt} className="aspect-1200/630 w-full object-cover" />}
      <figcaption className="grid gap-0.5 px-4 py-3">
        <span className="font-semibold wrap-anywhere">{title}</span>
        {description && <span className="line-clamp-3 text-sm text-muted wrap-anywhere">{description}</span>}
        <span className="text-sm text-muted">{new URL(address).host}</span>
      </figcaption>
    </figure>
  )
}

function CardSkeleton() {
  return (
    <LoadingState label="Loading the preview" className="w-full max-w-md">
      <Skeleton className="aspect-1200/630 rounded-lg" />
    </LoadingState>
  )
}
