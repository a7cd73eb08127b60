import { Search } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cx } from '../../lib/cx.ts'
import { Input } from './field.tsx'

/** A search field with its icon; `className` is that of the whole. */
export function SearchInput({ className, ...input }: ComponentProps<'input'>) {
  return (
    <search className={cx('relative', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3.5 z-1 size-4 -translate-y-1/2 text-muted"
      />
      <Input type="search" autoComplete="off" spellCheck={false} className="pl-10" {...input} />
    </search>
  )
}
