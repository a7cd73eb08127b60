import { ChevronLeft } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Link } from 'react-router-dom'
import { Button } from './button.tsx'

type LinkButtonProps = ComponentProps<typeof Link> & Pick<ComponentProps<typeof Button>, 'variant' | 'size'>

/** A link to another screen in the style of a button. */
export function LinkButton({ variant, size, className, ...link }: LinkButtonProps) {
  return (
    <Button asChild variant={variant} size={size} className={className}>
      <Link {...link} />
    </Button>
  )
}

/** Leads from a screen back to the one that lists it. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <LinkButton to={to} variant="quiet" size="small" className="-ml-3 mb-1">
      <ChevronLeft aria-hidden /> <span>{children}</span>
    </LinkButton>
  )
}
