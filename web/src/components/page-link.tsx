import { Link } from 'react-router-dom'

interface PageLinkProps {
  to: string
  children: string
}

/** A link within a form: the page opens in a new tab, so that nothing that was entered is lost. */
export function PageLink({ to, children }: PageLinkProps) {
  return (
    <Link to={to} target="_blank" className="font-semibold text-accent underline">
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </Link>
  )
}
