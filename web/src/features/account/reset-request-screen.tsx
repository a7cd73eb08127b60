import { useQuery } from '@tanstack/react-query'
import { MailX } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'react-router-dom'
import { configQuery } from '../../api/queries.ts'
import { ScreenSpinner } from '../../components/ui/loading.tsx'
import type { ForgotPasswordState } from '../../lib/routing.ts'
import { AccountLink } from './email-link-account.tsx'
import { LinkActions, LinkCard, LinkText } from './email-link-card.tsx'
import { ResetRequestForm } from './reset-request-form.tsx'
import { ResetRequestSent } from './reset-request-sent.tsx'

/** Asks for an address and has a link for a new password sent to it. */
export function ResetRequestScreen() {
  const { data: config, isPending } = useQuery(configQuery)
  const [stage, setStage] = useState<'first' | 'sent' | 'again'>('first')
  const state = useLocation().state as ForgotPasswordState | null
  const [address, setAddress] = useState(state?.email ?? '')
  if (isPending) return <ScreenSpinner />
  if (config?.mail.available === false) return <NoMail />
  if (stage === 'sent') return <ResetRequestSent email={address} onChange={() => setStage('again')} />
  return (
    <ResetRequestForm
      email={address}
      focused={stage === 'again'}
      onSent={(requested) => {
        setAddress(requested)
        setStage('sent')
      }}
    />
  )
}

function NoMail() {
  return (
    <LinkCard title="Forgot your password?" icon={<MailX className="size-5" />}>
      <LinkText>This installation of Skyfolio sends no mail, so a new password cannot be set by a link.</LinkText>
      <LinkText>Ask the person who runs it for help, and name your username.</LinkText>
      <LinkActions>
        <AccountLink signedIn="Back to your profile" signedOut="Back to login" />
      </LinkActions>
    </LinkCard>
  )
}
