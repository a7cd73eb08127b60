import { useLocation } from 'react-router-dom'
import { ResetRequestScreen } from '../features/account/reset-request-screen.tsx'
import type { ForgotPasswordState } from '../lib/sign-in-state.ts'

/** Asks for a link to set a new password. */
export default function ForgotPasswordPage() {
  const state = useLocation().state as ForgotPasswordState | null
  return <ResetRequestScreen email={state?.email ?? ''} />
}
