import { Link2Off } from 'lucide-react'
import type { ReactNode } from 'react'
import { LinkActions, LinkCard, LinkText } from './email-link-card.tsx'

/** The screen was opened without a token. */
export function LinkMissing({ children }: { children?: ReactNode }) {
  return (
    <LinkCard title="This link is incomplete" icon={<Link2Off className="size-5" />} tone="warn">
      <LinkText>
        If you have just used it, there is nothing more to do. Otherwise open the link in the mail again, or copy the
        whole link from the mail into the address bar.
      </LinkText>
      {children && <LinkActions>{children}</LinkActions>}
    </LinkCard>
  )
}

/** The server knows the token no more. */
export function LinkExpired({ children, actions }: { children: ReactNode; actions: ReactNode }) {
  return (
    <LinkCard
      title="This link has expired or was already used"
      icon={<Link2Off className="size-5" />}
      tone="warn"
      isResult
    >
      <LinkText>{children}</LinkText>
      <LinkActions>{actions}</LinkActions>
    </LinkCard>
  )
}
