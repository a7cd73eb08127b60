import { AccountDeletedScreen } from '../features/account/account-deleted-screen.tsx'
import { ConfirmEmailScreen, RevertEmailScreen } from '../features/account/email-screens.tsx'
import { ResetPasswordScreen, ResetRequestScreen } from '../features/account/password-reset-screens.tsx'

const SCREENS = {
  'account-deleted': AccountDeletedScreen,
  'forgot-password': ResetRequestScreen,
  'reset-password': ResetPasswordScreen,
  'confirm-email': ConfirmEmailScreen,
  'revert-email': RevertEmailScreen,
}

/** The screens of the account that need no session: together they are smaller than what refers to each. */
export default function AccountPage({ screen }: { screen: keyof typeof SCREENS }) {
  const Screen = SCREENS[screen]
  return <Screen />
}
