import type { FolderLink } from '../../api/types.ts'

type Kind = FolderLink['kind']

interface KindTexts {
  label: string
  /** What visitors do with it. */
  summary: string
  /** In the form. */
  choice: string
  hint: string
  path: string
}

const LOOK = 'Visitors see the photos and cannot vote.'

export const KINDS: Record<Kind, KindTexts> = {
  vote: {
    label: 'Voting link',
    summary: 'Visitors see the photos and rank their first, second and third.',
    choice: 'Voting',
    hint: 'Visitors see the photos and rank their first, second and third.',
    path: 'share',
  },
  browse: {
    label: 'View-only link',
    summary: LOOK,
    choice: 'View only',
    hint: 'Visitors cannot vote. A photo opens large above the list, without camera data.',
    path: 'browse',
  },
  view: {
    label: 'View-only link with viewer',
    summary: LOOK,
    choice: 'View only, with viewer',
    hint: 'Visitors cannot vote. A photo opens in a viewer that fills the window.',
    path: 'viewer',
  },
}

/** The page of a link. The main link has one of every kind. */
export function addressOf(code: string, kind: Kind): string {
  return `${location.origin}/${KINDS[kind].path}/${code}`
}

/** Browsers embed nothing without https in a page with it. */
export const isSecure = () => location.protocol === 'https:'

/** What a website has in its page to show the voting page of a link; null where none may. */
export function embedCodeOf({ code, kind, hasPassword, embedOrigins }: FolderLink, title: string): string | null {
  if (kind !== 'vote' || hasPassword || embedOrigins.length === 0 || !isSecure()) return null
  const quoted = title.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<iframe src="${location.origin}/embed/${code}" title="${quoted}" loading="lazy" width="100%" height="700"></iframe>`
}

export interface LinkState {
  text: string
  tone: 'good' | 'warn' | 'danger'
  /** What happens to the link, or has happened, and when. */
  notes: string[]
}

/** Whom a link lets in at a moment: everybody, those who have the password, or nobody. */
export function stateOf(link: FolderLink, now: number): LinkState {
  const { expiresAt, hasPassword, kind, votingUntil } = link
  if (expiresAt !== null && isPast(expiresAt, now)) {
    return { text: 'Expired', tone: 'danger', notes: [`On ${formatMoment(expiresAt)}`] }
  }
  const notes: LinkState['notes'] = []
  if (expiresAt !== null) notes.push(`Expires ${formatMoment(expiresAt)}`)
  if (kind === 'vote' && votingUntil !== null) {
    notes.push(isPast(votingUntil, now) ? 'Voting has ended' : `Voting ends ${formatMoment(votingUntil)}`)
  }
  return { text: hasPassword ? 'Password' : 'Open', tone: hasPassword ? 'warn' : 'good', notes }
}

const MOMENT = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })

function formatMoment(iso: string): string {
  return MOMENT.format(new Date(iso))
}

const isPast = (moment: string, now: number) => Date.parse(moment) <= now

const DOWNLOADS: Record<FolderLink['downloads'], string> = {
  none: 'No downloads',
  web: 'Web-size downloads',
  original: 'Original downloads',
}

/** What visitors see and get through a link, what is hidden from them included. */
export function describeVisitors({ showPlaces, showMap, showCamera, downloads }: FolderLink): string[] {
  const places = showMap ? 'Places and map' : 'Places'
  return [
    showPlaces ? places : 'Places hidden',
    showCamera ? 'Camera data' : 'Camera data hidden',
    DOWNLOADS[downloads],
  ]
}
