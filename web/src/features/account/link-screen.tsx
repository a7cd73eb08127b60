import { useMutation } from '@tanstack/react-query'
import { Link2Off } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { hasStatus } from '../../lib/http.ts'
import { remember, rememberedValue } from '../../lib/remember.ts'
import { LinkCard, LinkText } from './link-card.tsx'

/** No token is kept longer: a link to set a new password is valid for this time. */
const KEPT_MS = 30 * 60_000
const STORAGE_KEY = 'link-token'

interface KeptToken {
  /** The screen whose link it is. */
  path: string
  token: string
  until: number
}

interface LinkScreenProps {
  /** What the link is for. It waits for a click: programs that check mails open their links, too. */
  Content: ComponentType<{ token: string }>
  /** Where to go without a token. */
  actions: ReactNode
}

/** The screen that a mail leads to, or that its link is incomplete. */
export function LinkScreen({ Content, actions }: LinkScreenProps) {
  const token = useLinkToken()
  if (token) return <Content key={token} token={token} />
  return (
    <LinkCard title="This link is incomplete" Icon={Link2Off} tone="warn" actions={actions}>
      <LinkText>
        If you have just used it, there is nothing more to do. Otherwise open the link in the mail again, or copy the
        whole link from the mail into the address bar.
      </LinkText>
    </LinkCard>
  )
}

interface LinkAction<Values> {
  mutationFn: (values: Values) => Promise<void>
  onSuccess: () => unknown
  onSettled?: () => unknown
}

/** What the link does. Its token is forgotten once it is used or rejected. */
export function useLinkAction<Values = void>({ onSuccess, ...action }: LinkAction<Values>) {
  return useMutation({
    ...action,
    onSuccess: () => {
      forgetToken()
      return onSuccess()
    },
    onError: (error) => hasStatus(error, 410) && forgetToken(),
  })
}

/**
 * The token of a link in a mail. It comes in the fragment, which is in no request and no referrer, and leaves the address
 * bar and the tab's history at once. The session storage keeps it for a reload of this tab only while the screen is open:
 * whoever comes to the computer later finds nothing.
 */
function useLinkToken(): string | null {
  const { pathname, hash } = useLocation()
  const navigate = useNavigate()
  const [token, setToken] = useState(() => tokenIn(hash) ?? readKept(pathname))

  useEffect(() => {
    const arrived = tokenIn(hash)
    if (!arrived) return
    const kept: KeptToken = { path: pathname, token: arrived, until: Date.now() + KEPT_MS }
    // Where storage is blocked, the link has to be opened again after a reload.
    remember(STORAGE_KEY, JSON.stringify(kept), 'sessionStorage')
    setToken(arrived)
    navigate(pathname, { replace: true })
  }, [hash, pathname, navigate])

  useEffect(() => forgetToken, [])

  return token
}

function tokenIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('token') || null
}

function readKept(path: string): string | null {
  const kept = rememberedValue<KeptToken>(STORAGE_KEY, 'sessionStorage')
  return kept?.path === path && kept.until > Date.now() ? kept.token : null
}

function forgetToken(): void {
  remember(STORAGE_KEY, null, 'sessionStorage')
}
