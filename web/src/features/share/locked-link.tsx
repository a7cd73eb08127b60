import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { forgetLink } from '../../api/queries.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { ScreenSpinner } from '../../components/ui/loading.tsx'

const UnlockForm = lazyComponent(() => import('./unlock-form.tsx').then((code) => code.UnlockForm), {
  Loading: () => <ScreenSpinner />,
  failure: 'The page could not be loaded',
})

/** In place of the page of a link that is locked by a password: nothing stays of what was read before. */
export function LockedLink({ shareCode }: { shareCode: string }) {
  const client = useQueryClient()
  useEffect(() => forgetLink(client, shareCode), [client, shareCode])
  return <UnlockForm shareCode={shareCode} />
}
