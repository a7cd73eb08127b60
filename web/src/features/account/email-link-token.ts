import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'

/** No token is kept longer: a link to set a new password is valid for this time. */
const KEPT_MS = 30 * 60_000
const STORAGE_KEY = 'link-token'

interface KeptToken {
  /** The screen whose link it is. */
  path: string
  token: string
  until: number
}

/**
 * The token of a link in a mail, and a function that forgets it once it is used or rejected. It comes in the fragment,
 * which is in no request and no referrer, and leaves the address bar and the tab's history at once. The session storage
 * keeps it for a reload of this tab only while the screen is open: whoever comes to the computer later finds nothing.
 */
export function useLinkToken(): { token: string | null; forget: () => void } {
  const { pathname, hash } = useLocation()
  const navigate = useNavigate()
  const [token, setToken] = useState(() => tokenIn(hash) ?? readKept(pathname))

  useEffect(() => {
    const arrived = tokenIn(hash)
    if (!arrived) return
    keep({ path: pathname, token: arrived, until: Date.now() + KEPT_MS })
    setToken(arrived)
    navigate(pathname, { replace: true })
  }, [hash, pathname, navigate])

  useEffect(() => discard, [])

  return { token, forget: discard }
}

function tokenIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('token') || null
}

function readKept(path: string): string | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as KeptToken | null
    return kept?.path === path && kept.until > Date.now() ? kept.token : null
  } catch {
    return null
  }
}

/** Without storage the link has to be opened again after a reload. */
function keep(kept: KeptToken): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept))
  } catch {
    // The browser forbids storage.
  }
}

function discard(): void {
  try {
    sessionStorage.removeItem(STORAGE_KEY)
  } catch {
    // The browser forbids storage.
  }
}
