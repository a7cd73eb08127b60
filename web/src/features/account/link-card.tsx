import { useQuery } from '@tanstack/react-query'
import { Link2Off, type LucideIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { userQuery } from '../../api/queries.ts'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { cx } from '../../lib/cx.ts'
import { type SignInState, usePageTitle } from '../../lib/routing.ts'

interface LinkCardProps {
  title: string
  children: ReactNode
  /** The buttons, main one first; on phones each has the whole width. */
  actions?: ReactNode
  Icon?: LucideIcon
  tone?: 'neutral' | 'good' | 'warn'
  /** What follows the card, in its width. */
  below?: ReactNode
  /** True for what follows an action on this screen: its heading takes the focus, so that screen readers read it. */
  isResult?: boolean
}

const TONES = { neutral: 'bg-sunken text-muted', good: 'bg-good-soft text-good', warn: 'bg-warn-soft text-warn' }

/** The one card of a screen that a mail leads to, or that asks for a mail. */
export function LinkCard(props: LinkCardProps) {
  const { title, children, actions, Icon, tone = 'neutral', below, isResult = false } = props
  const heading = useRef<HTMLHeadingElement>(null)
  usePageTitle(title)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another result has another title
  useEffect(() => {
    if (isResult) heading.current?.focus()
  }, [isResult, title])
  return (
    <div className="page pt-6 sm:pt-14">
      <div className="mx-auto max-w-[480px] rounded-lg bg-surface p-5 shadow-low ring ring-line sm:p-8">
        {Icon && (
          <span aria-hidden className={cx('mb-4 grid size-12 place-items-center rounded-full', TONES[tone])}>
            <Icon className="size-5" />
          </span>
        )}
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-bold text-balance outline-none">
          {title}
        </h1>
        {children}
        {actions && <div className="mt-6 flex flex-wrap gap-2 max-sm:*:w-full">{actions}</div>}
      </div>
      {below && <div className="mx-auto mt-6 grid max-w-[480px] gap-6">{below}</div>}
    </div>
  )
}

export function LinkText({ children }: { children: ReactNode }) {
  return <p className="mt-2 text-pretty text-muted wrap-anywhere">{children}</p>
}

/** The server knows the token no more. */
export function LinkExpired({ children, actions }: { children: ReactNode; actions: ReactNode }) {
  return (
    <LinkCard title="This link has expired or was already used" Icon={Link2Off} tone="warn" isResult actions={actions}>
      <LinkText>{children}</LinkText>
    </LinkCard>
  )
}

interface VariantProps {
  variant?: 'primary' | 'secondary' | 'quiet'
}

interface AccountLinkProps extends VariantProps {
  /** What it leads to for a signed-in user: the profile. */
  signedIn?: string
  signedOut?: string
}

/** Leads to the profile, for signed-out users by the login. */
export function AccountLink({ signedIn = 'Go to your profile', signedOut = 'Login', variant }: AccountLinkProps) {
  const { data: user } = useQuery(userQuery)
  const [to, text] = user ? ['/profile', signedIn] : ['/auth', signedOut]
  return (
    <LinkButton to={to} state={user ? undefined : ({ from: '/profile' } satisfies SignInState)} variant={variant}>
      {text}
    </LinkButton>
  )
}

export function BackLink({ variant }: VariantProps) {
  return <AccountLink signedIn="Back to your profile" signedOut="Back to login" variant={variant} />
}

export function ForgotPasswordLink({ variant, children = 'Forgot password?' }: VariantProps & { children?: string }) {
  return (
    <LinkButton to="/forgot-password" variant={variant}>
      {children}
    </LinkButton>
  )
}
