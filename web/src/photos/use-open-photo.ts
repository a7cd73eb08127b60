import { useCallback, useRef } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'

const PARAM = 'photo'

/** Whether the photo was opened on its page: the history entry before is the page without it. */
type FromPage = { fromPage: boolean }

/** The photo in the URL (`?photo=`). Opening one adds a history entry, which Back closes. */
export function useOpenPhoto() {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const { state } = useLocation()
  const id = Number(search.get(PARAM)) || null
  const fromPage = (state as FromPage | null)?.fromPage === true
  // A second Escape before the browser has gone back would leave the page.
  const isLeaving = useRef(false)
  if (id === null) isLeaving.current = false

  const show = useCallback(
    (next: number | null, options: { replace: boolean; state?: FromPage }) => {
      const parameters = new URLSearchParams(location.search)
      if (next === null) parameters.delete(PARAM)
      else parameters.set(PARAM, String(next))
      const text = parameters.toString()
      navigate({ search: text && `?${text}` }, { ...options, preventScrollReset: true })
    },
    [navigate],
  )
  const open = useCallback(
    (photo: { id: number }) => show(photo.id, { replace: false, state: { fromPage: true } }),
    [show],
  )

  function close(): void {
    if (!fromPage) show(null, { replace: true })
    else if (!isLeaving.current) {
      isLeaving.current = true
      navigate(-1)
    }
  }

  return {
    id,
    open,
    /** Shows another photo in the same dialog. */
    step: (photo: { id: number }) => show(photo.id, { replace: true, state: { fromPage } }),
    close,
  }
}
